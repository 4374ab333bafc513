import HTTPCore
import InboxHTTP
import InboxModel
import InboxService
import InboxWire
import Testing

/// Rule 13: a name is not a proof.
@Suite struct LogInTests {
    /// Calls that log a phone in, with or without a proof.
    private static let ways: [@Sendable (Phone, String, String?) async -> Response] = [
        { await $0.logIn(as: $1, proof: $2) },
        { phone, name, proof in
            let shown = proof.map { #","proof":"\#($0)""# } ?? ""
            return await phone.stage.call(
                .post, "/api/named_users/associate", phone.app.basic,
                #"{"channel_id":"\#(phone.channel)","device_type":"ios","named_user_id":"\#(name)"\#(shown)}"#
            )
        },
        { phone, name, proof in
            let shown = proof.map { #","proof":"\#($0)""# } ?? ""
            return await phone.stage.call(
                .post, "/api/contacts/identify", phone.app.basic,
                #"{"channel_id":"\#(phone.channel)","named_user_id":"\#(name)"\#(shown)}"#)
        },
        { phone, name, proof in
            let shown = proof.map { #","proof":"\#($0)""# } ?? ""
            let headers = Phone.generatedToken(phone.app, channel: phone.channel)
            return await phone.stage.call(
                .post, "/api/contacts/identify/v2", headers["Authorization"],
                #"{"action":{"type":"identify","named_user_id":"\#(name)"\#(shown)}}"#, headers: headers.rest)
        },
    ]

    @Test(arguments: ways.indices)
    func `rule 13: a bare claim is 403, and logs out whoever else was logged in`(way: Int) async throws {
        try await DeviceStage.open { stage in
            let logIn = Self.ways[way]
            let signer = try await Signer(stage, stage.globex)
            let phone = try await Phone.register(stage, stage.globex)
            #expect(await logIn(phone, "ana", nil).status == 403)
            #expect(try await phone.person == .null)
            #expect(await logIn(phone, "ana", signer.proof(for: "ana")).status == 200)
            #expect(try await phone.person == .string("ana"))
            let refused = await logIn(phone, "ben", nil)
            #expect(refused.status == 403 && refused.text.contains("proof"))
            #expect(try await phone.person == .null, "NUF-45: nobody is logged in, never ana again")
        }
    }

    @Test(arguments: ways.indices)
    func `rule 13: who is logged in already stays so, whatever is shown`(way: Int) async throws {
        try await DeviceStage.open { stage in
            let logIn = Self.ways[way]
            let signer = try await Signer(stage, stage.globex)
            let phone = try await Phone.register(stage, stage.globex)
            #expect(await phone.logIn(as: "ana", proof: signer.proof(for: "ana")).status == 200)
            for proof in [nil, "x", signer.proof(for: "ben"), signer.proof(for: "ana", ["exp": "1"])] {
                #expect(await logIn(phone, "ana", proof).status == 200)
                #expect(try await phone.person == .string("ana"))
            }
        }
    }

    @Test(arguments: ways.indices)
    func `rule 13: a bad proof is 403, also where the device's word would do`(way: Int) async throws {
        try await DeviceStage.open { stage in
            let logIn = Self.ways[way]
            for app in [stage.acme, stage.globex] {
                let signer = try await Signer(stage, app)
                let phone = try await Phone.register(stage, app)
                #expect(await logIn(phone, "ana", signer.proof(for: "ana")).status == 200)
                for (proof, word) in [
                    ("", "JWT"), ("a.b.c", "JWT"), (signer.proof(for: "cleo"), "named user"),
                    (signer.proof(for: "ben", ["aud": #""x""#]), "aud"),
                    (signer.proof(for: "ben", ["exp": "1", "iat": "0"]), "expired"),
                ] {
                    let answer = await logIn(phone, "ben", proof)
                    #expect(answer.status == 403 && answer.text.contains(word), "\(answer.text)")
                    #expect(try await phone.person == .null)
                }
            }
        }
    }

    @Test func `rule 13: a proof that is for one device serves the first that shows it, and that one again`()
        async throws
    {
        try await DeviceStage.open { stage in
            let signer = try await Signer(stage, stage.globex)
            let proof = signer.proof(for: "ana", ["jti": #""once""#])
            let first = try await Phone.register(stage, stage.globex)
            let second = try await Phone.register(stage, stage.globex)
            #expect(await second.logIn(as: "ben", proof: signer.proof(for: "ben")).status == 200)
            #expect(await first.logIn(as: "ana", proof: proof).status == 200)
            let replayed = await second.logIn(as: "ana", proof: proof)
            #expect(replayed.status == 403 && replayed.text.contains("another device"))
            #expect(try await second.person == .null)
            #expect(await first.logOut().status == 200)
            #expect(await first.logIn(as: "ana", proof: proof).status == 200)
            #expect(try await first.person == .string("ana"))
            #expect(await second.logIn(as: "ana", proof: signer.proof(for: "ana")).status == 200)
        }
    }

    @Test func `a proof for one device that is shown by many at once logs exactly one in`() async throws {
        try await DeviceStage.open { stage in
            let signer = try await Signer(stage, stage.globex)
            let proof = signer.proof(for: "ana", ["jti": #""once""#])
            var phones: [Phone] = []
            for _ in 0..<8 { phones.append(try await Phone.register(stage, stage.globex)) }
            let statuses = await withTaskGroup(of: Int.self) { group in
                for phone in phones {
                    group.addTask { await phone.logIn(as: "ana", proof: proof).status }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200] + Array(repeating: 403, count: 7))
        }
    }

    @Test func `the id of a proof may stand for another once nobody accepts the first any more`() async throws
    {
        try await DeviceStage.open { stage in
            let signer = try await Signer(stage, stage.globex)
            let first = try await Phone.register(stage, stage.globex)
            let second = try await Phone.register(stage, stage.globex)
            let proof = signer.proof(for: "ana", ["jti": #""once""#])
            #expect(await first.logIn(as: "ana", proof: proof).status == 200)
            try await stage.advance(seconds: 3650)
            #expect(await second.logIn(as: "ana", proof: proof).status == 403)
            try await stage.advance(seconds: 3700)
            func later() -> String {
                let now = "4102444800"  // the year 2100
                return signer.proof(for: "ana", ["jti": #""once""#, "iat": now, "exp": "4102448400"])
            }
            try await stage.script(
                """
                CREATE OR REPLACE FUNCTION martlet_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
                AS $$ SELECT timestamptz '2100-01-01 00:00:10Z' $$
                """)
            #expect(await second.logIn(as: "ana", proof: later()).status == 200)
            #expect(await first.logOut().status == 200)
            #expect(await first.logIn(as: "ana", proof: later()).status == 403)
        }
    }

    @Test func `a proof with a channel serves that channel alone`() async throws {
        try await DeviceStage.open { stage in
            let signer = try await Signer(stage, stage.globex)
            let first = try await Phone.register(stage, stage.globex)
            let second = try await Phone.register(stage, stage.globex)
            let proof = signer.proof(for: "ana", ["channel_id": "\"\(first.channel.uppercased())\""])
            #expect(await second.logIn(as: "ana", proof: proof).status == 403)
            #expect(await first.logIn(as: "ana", proof: proof).status == 200)
        }
    }

    @Test func `rule 13: a channel's id is no proof of who is logged in on it`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let signer = try await Signer(stage, stage.globex)
            let phone = try await Phone.register(stage, stage.globex)
            #expect(await phone.logIn(as: "ana", proof: signer.proof(for: "ana")).status == 200)
            let ana = Audience.namedUsers([try NamedUserID("ana")])
            let secret = try await stage.backend.send(to: ana, in: stage.globex)
            let open = try await phone.receive()
            let thief = try await Phone.register(stage, stage.globex)
            try await stage.backend.attach(phone.channel, to: thief)
            #expect(try await thief.inbox().ids == [open])
            #expect(try await phone.inbox().ids.isEmpty)
            #expect(await thief.logIn(as: "ana", proof: signer.proof(for: "ana")).status == 200)
            #expect(try await thief.inbox().ids.contains(secret))
        }
    }

    @Test func `keys overlap: proofs of either are good until one is revoked, and who is logged in stays so`()
        async throws
    {
        try await DeviceStage.open { stage in
            let old = try await Signer(stage, stage.globex)
            let new = try await Signer(stage, stage.globex)
            let phone = try await Phone.register(stage, stage.globex)
            let other = try await Phone.register(stage, stage.globex)
            #expect(await phone.logIn(as: "ana", proof: old.proof(for: "ana")).status == 200)
            #expect(await other.logIn(as: "ana", proof: new.proof(for: "ana")).status == 200)
            let id = try #require(Int32(old.id))
            try await stage.revoke(SecretID(rawValue: id), of: stage.globex)
            let third = try await Phone.register(stage, stage.globex)
            #expect(await third.logIn(as: "ana", proof: old.proof(for: "ana")).status == 403)
            #expect(await third.logIn(as: "ana", proof: new.proof(for: "ana")).status == 200)
            #expect(try await phone.person == .string("ana"))
        }
    }

    @Test func `rule 12: a key of one app proves nothing to another`() async throws {
        try await DeviceStage.open { stage in
            let acme = try await Signer(stage, stage.acme)
            _ = try await Signer(stage, stage.globex)
            let phone = try await Phone.register(stage, stage.globex)
            for audience in [stage.acme.key, stage.globex.key] {
                let proof = acme.proof(for: "ana", ["aud": "\"\(audience)\""])
                #expect(await phone.logIn(as: "ana", proof: proof).status == 403)
            }
        }
    }
}
