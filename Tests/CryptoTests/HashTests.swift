import Crypto
import Testing

@Suite struct HashTests {
    @Test func `SHA-256 gives the digest of the standard's example`() {
        #expect(
            hex(SHA256.digest("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func `the digest of nothing and of a slice are those of their bytes`() {
        #expect(
            hex(SHA256.digest([])) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(SHA256.digest(Array("xabcx".utf8)[1..<4]) == SHA256.digest("abc"))
    }

    @Test func `an HMAC is that of RFC 4231, case 2`() {
        let code = HMACSHA256.code(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8))
        #expect(hex(code) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test func `a key longer than a block is hashed first, as in RFC 4231, case 6`() {
        let code = HMACSHA256.code(
            key: [UInt8](repeating: 0xAA, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        #expect(hex(code) == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func `equality needs the same length and the same bytes`() {
        #expect(constantTimeEquals([1, 2], [1, 2]))
        #expect(!constantTimeEquals([1, 2], [1, 3]))
        #expect(!constantTimeEquals([1, 2], [1, 2, 3]))
        #expect(constantTimeEquals([], []))
    }
}

func hex(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
        let text = String(byte, radix: 16)
        return text.count == 1 ? "0" + text : text
    }.joined()
}
