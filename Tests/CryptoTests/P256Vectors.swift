/// The key, the message and the signature of RFC 7515, appendix A.3.
enum RFC7515 {
    static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----

        """

    static let x = bytes("7fcdce2770f6c45d4183cbee6fdb4b7b580733357be9ef13bacf6e3c7bd15445")
    static let y = bytes("c7f144cd1bbd9b7e872cdfedb9eeb9f4b3695d6ea90b24ad8a4623288588e5ad")

    /// The key in DER.
    static let der = head(pointBytes: 65) + [0x04] + x + y

    static let message = Array(
        """
        eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9p\
        c19yb290Ijp0cnVlfQ
        """.utf8)
    static let r = bytes("0ed1215379636c483c2f7f155807d402a3b228033af97c7e17819ac3169ea665")
    /// In the upper half of the order.
    static let s = bytes("c50a07d38c3c70e5d8f12daf084a5480a66590c5f293509a8f3f7f8a83a354d5")
    /// The order less `s`.
    static let otherS = bytes("3af5f82b73c38f1b270ed250f7b5ab7f168169e7b4844dea647a4b3878bfd07c")

    /// The order of the curve's group.
    static let order = bytes("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    /// A SubjectPublicKeyInfo of P-256 up to the point.
    static func head(pointBytes: Int) -> [UInt8] {
        [0x30, UInt8(pointBytes + 24)] + bytes("301306072a8648ce3d020106082a8648ce3d03010703")
            + [UInt8(pointBytes + 1), 0x00]
    }
}

/// Public keys that are not of P-256, or do not say so by its name.
enum OtherKeys {
    static let p384 = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEKDwdc2XOR4jyn46/I07f/q1v6Zf76l/6
        LVjMnfp7HFCLBVJvVbnrsgQPBbSPttDhlHXJkGHkG4i6Uu/bjBaQRxph2GfteZcp
        2cks0B29IlYw2E7eMqePnmRmTNrFEu+M
        -----END PUBLIC KEY-----
        """

    static let secp256k1 = """
        -----BEGIN PUBLIC KEY-----
        MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEXL3wZG5dtOqjmPNl8up6Dj1Bm34DMOOc
        6Svd7crE+bxq68pAuiVZYKMXjW2GGlTbqBPQuBP957WlCCYoCHJk2g==
        -----END PUBLIC KEY-----
        """

    static let ed25519 = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAyOKVV5RfCPAs/UhXllaAnKmrlt0s9V00ffV7xqeTd6w=
        -----END PUBLIC KEY-----
        """

    static let rsa = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAzHbmALSFNeG58N2y8SL2
        7S/q/ZhJmgr7VziuF1cRIYv0cJ/06bSq6jDGsju9NQNwvr/KLe7AzKNXFAagllzZ
        8FaZ4X43VatSBICDyfmMHonbts8t8K+90KRJBnUzlPdWEdpaN7erwJSNMcCfikkh
        OusnIoamLY+0G7YFPWZwvNr0ACLP88aAl2VuNVgmf1gCHSxOcVb5t8+FwI6fRaK0
        0zitz12vSpjWxLM+OhM7A58qGp3xn/5GEN2b43lGqklRdxwQFeHc96S9WNrbUkWm
        V53hD1F4SSqTqmdMgArvS9bApWzAWluJnnc7aY6KvOdY+w7nFzDiEP16819ISpYS
        /QIDAQAB
        -----END PUBLIC KEY-----
        """

    /// P-256 with all of its parameters written out.
    static let explicitCurve = """
        -----BEGIN PUBLIC KEY-----
        MIIBSzCCAQMGByqGSM49AgEwgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAA
        AAAAAAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA////
        ///////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxTsPY7zjw+J9JgSwMVAMSd
        NgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5
        RdiYwpZP40Li/hp/m47n60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA
        //////////+85vqtpxeehPO5ysL8YyVRAgEBA0IABI0pYH0d5ya8FczGtlVwpcAC
        j7Pas+odctd0vLg8XrxbTRu6p9e3O+CYefTHOSX99Fv6q2nC7iZEjEju6fv9rOM=
        -----END PUBLIC KEY-----
        """
}

/// The bytes that hexadecimal digits stand for.
func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
