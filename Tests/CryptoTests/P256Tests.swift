import Crypto
import Testing

@Suite struct P256Tests {
    @Test func `the signature of RFC 7515, A.3, is the key's`() throws {
        let key = try P256PublicKey(pem: RFC7515.pem)
        #expect(key.verify(RFC7515.r + RFC7515.s, of: RFC7515.message))
    }

    @Test func `each changed bit of the signature and of the message is noticed`() throws {
        let key = try P256PublicKey(pem: RFC7515.pem)
        let signature = RFC7515.r + RFC7515.s
        for bit in stride(from: 0, to: signature.count * 8, by: 7) {
            #expect(!key.verify(changed(signature, bit: bit), of: RFC7515.message))
        }
        for bit in stride(from: 0, to: RFC7515.message.count * 8, by: 31) {
            #expect(!key.verify(signature, of: changed(RFC7515.message, bit: bit)))
        }
        #expect(!key.verify(signature, of: []))
    }

    @Test func `of the two values of s both count`() throws {
        let key = try P256PublicKey(pem: RFC7515.pem)
        #expect(key.verify(RFC7515.r + RFC7515.otherS, of: RFC7515.message))
    }

    @Test func `r and s are from one up to below the order`() throws {
        let key = try P256PublicKey(pem: RFC7515.pem)
        let zero = [UInt8](repeating: 0, count: 32)
        let most = [UInt8](repeating: 0xFF, count: 32)
        for wrong in [zero, RFC7515.order, plus(RFC7515.order, 1), most] {
            #expect(!key.verify(wrong + RFC7515.s, of: RFC7515.message))
            #expect(!key.verify(RFC7515.r + wrong, of: RFC7515.message))
            #expect(!key.verify(wrong + wrong, of: RFC7515.message))
        }
        // Allowed, though not the signature.
        for other in [plus(zero, 1), plus(RFC7515.order, -1)] {
            #expect(!key.verify(other + other, of: RFC7515.message))
        }
    }

    @Test func `a signature has 64 bytes, and is never DER`() throws {
        let key = try P256PublicKey(pem: RFC7515.pem)
        let signature = RFC7515.r + RFC7515.s
        let der =
            [0x30, 0x45, 0x02, 0x20] + RFC7515.r + [0x02, 0x21, 0x00] + RFC7515.s
        for wrong in [[], Array(signature.dropLast()), signature + [0], [0] + signature, der] {
            #expect(!key.verify(wrong, of: RFC7515.message))
        }
    }

    @Test func `a key may stand in DER, and its point be compressed`() throws {
        let plain = RFC7515.der
        // The last bit of y is set.
        let compressed = RFC7515.head(pointBytes: 33) + [0x03] + RFC7515.x
        for der in [plain, compressed] {
            let key = try P256PublicKey(der: der)
            #expect(key.verify(RFC7515.r + RFC7515.s, of: RFC7515.message))
            #expect(try P256PublicKey(der: key.der).verify(RFC7515.r + RFC7515.s, of: RFC7515.message))
        }
        #expect(try P256PublicKey(pem: RFC7515.pem).der == plain)
        let mirrored = try P256PublicKey(der: RFC7515.head(pointBytes: 33) + [0x02] + RFC7515.x)
        #expect(!mirrored.verify(RFC7515.r + RFC7515.s, of: RFC7515.message))
    }

    @Test func `what is no point of the curve is no key`() {
        let (x, y) = (RFC7515.x, RFC7515.y)
        let points: [[UInt8]] = [
            [0x04] + x + plus(y, 1), [0x04] + y + x, [0x03] + plus(x, 1), [0x04] + x, [0x00], [],
            [0x05] + x + y, [0x04] + [UInt8](repeating: 0, count: 64),
            [0x04] + [UInt8](repeating: 0xFF, count: 64),
        ]
        for point in points {
            #expect(throws: PublicKeyError.malformed) {
                try P256PublicKey(der: RFC7515.head(pointBytes: point.count) + point)
            }
        }
    }

    @Test func `a key that is cut off, or followed by something, is none`() {
        for count in RFC7515.der.indices {
            #expect(throws: PublicKeyError.malformed) {
                try P256PublicKey(der: Array(RFC7515.der[..<count]))
            }
        }
        #expect(throws: PublicKeyError.malformed) { try P256PublicKey(der: RFC7515.der + [0]) }
        for dropped in 2..<RFC7515.pem.count {
            #expect(throws: PublicKeyError.self) {
                try P256PublicKey(pem: String(RFC7515.pem.dropLast(dropped)))
            }
        }
    }

    @Test func `white space around and within PEM counts for nothing`() throws {
        let lines = RFC7515.pem.split(separator: "\n")
        for text in [
            lines.joined(separator: "\r\n"), "\n\n  " + lines.joined(separator: "\n    ") + "\t\n\n",
        ] {
            #expect(try P256PublicKey(pem: text).der == RFC7515.der)
        }
    }

    @Test(arguments: [
        ("", PublicKeyError.notPublicKey), ("MFkw", .notPublicKey),
        ("-----BEGIN PUBLIC KEY-----", .malformed),
        ("-----BEGIN CERTIFICATE-----\nMFkw\n-----END CERTIFICATE-----", .notPublicKey),
        ("-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----", .malformed),
        ("-----BEGIN PUBLIC KEY-----\nMFk!\n-----END PUBLIC KEY-----", .malformed),
        ("-----BEGIN PUBLIC KEY-----\nMFkw\n-----END CERTIFICATE-----", .malformed),
        ("see below\n" + RFC7515.pem, .notPublicKey), (RFC7515.pem + RFC7515.pem, .malformed),
        ("-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----", .privateKey),
        ("-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----", .privateKey),
        (RFC7515.pem + "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----", .privateKey),
        (OtherKeys.rsa, .otherAlgorithm), (OtherKeys.ed25519, .otherAlgorithm), (OtherKeys.p384, .otherCurve),
        (OtherKeys.secp256k1, .otherCurve), (OtherKeys.explicitCurve, .otherCurve),
    ])
    func `what is not a public key of P-256 is refused, and why is said`(text: String, error: PublicKeyError)
    {
        #expect(throws: error) { try P256PublicKey(pem: text) }
    }

    @Test func `a private key in DER is no public key`() {
        let der = bytes(
            """
            308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b02010104208e9b109e719098bf980487df1f\
            5d77e9cb29606ebed2263b5f57c213df84f4b2a14403420004
            """)
        #expect(throws: PublicKeyError.malformed) { try P256PublicKey(der: der + RFC7515.x + RFC7515.y) }
    }
}

/// `bytes` with one bit changed.
private func changed(_ bytes: [UInt8], bit: Int) -> [UInt8] {
    var bytes = bytes
    bytes[bit / 8] ^= 1 << (bit % 8)
    return bytes
}

/// A number whose last byte does not overflow, plus `step`.
private func plus(_ number: [UInt8], _ step: Int8) -> [UInt8] {
    var number = number
    number[number.count - 1] = number[number.count - 1] &+ UInt8(bitPattern: step)
    return number
}
