import Crypto
import Testing

@Suite struct SecretKeyTests {
    @Test func `what is sealed opens under its key only`() throws {
        let (key, _) = SecretKey.generate()
        let (other, _) = SecretKey.generate()
        for plain in [[], Array("secret".utf8)] {
            let sealed = key.seal(plain)
            #expect(key.open(sealed) == plain)
            #expect(other.open(sealed) == nil)
            #expect(key.derive("else").open(sealed) == nil)
        }
    }

    @Test func `each changed bit of what is sealed is noticed`() {
        let (key, _) = SecretKey.generate()
        let sealed = key.seal(Array("secret".utf8))
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(key.open(changed) == nil)
        }
        #expect(key.open(Array(sealed.dropLast())) == nil)
        #expect(key.open([]) == nil)
    }

    @Test func `the same text sealed twice is different`() {
        let (key, _) = SecretKey.generate()
        #expect(key.seal([1]) != key.seal([1]))
    }

    @Test func `a key file gives its key back, with or without a newline`() throws {
        let (key, file) = SecretKey.generate()
        let again = try #require(SecretKey(file: Array(file.utf8)))
        let trimmed = try #require(SecretKey(file: Array(file.utf8.dropLast())))
        #expect(again.open(key.seal([7])) == [7])
        #expect(trimmed.open(key.seal([7])) == [7])
    }

    @Test(arguments: ["", "c2hvcnQ=", "not base64 at all!"])
    func `a file that holds no key is refused`(contents: String) {
        #expect(SecretKey(file: Array(contents.utf8)) == nil)
    }

    @Test func `a tag is checked against message and purpose`() {
        let (key, _) = SecretKey.generate()
        let tag = key.derive("a").tag([1, 2])
        #expect(key.derive("a").verify(tag, of: [1, 2]))
        #expect(!key.derive("a").verify(tag, of: [1, 3]))
        #expect(!key.derive("b").verify(tag, of: [1, 2]))
        #expect(!key.derive("a").verify([], of: [1, 2]))
    }

    @Test func `a generated token has 22 characters that every client accepts, and no two are equal`() {
        let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let tokens = (0..<200).map { _ in RandomBytes.token22() }
        #expect(tokens.allSatisfy { $0.count == 22 && $0.allSatisfy(allowed.contains) })
        #expect(Set(tokens).count == tokens.count)
        #expect(RandomBytes.uint64() != RandomBytes.uint64())
    }

    @Test func `a key never shows itself`() {
        let (key, _) = SecretKey.generate()
        #expect("\(key)" == "SecretKey")
    }
}
