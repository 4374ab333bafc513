import Foundation
import HTTPCore
import InboxModel
import InboxService
import InboxWire
import Testing

@testable import InboxHTTP

/// Every operation of `/v1`, asked for what belongs to others.
@Suite struct OperationTenantTests {
    private static let operations = Shard.operations(Limits())

    @Test func `every operation says how it could be asked for what is another's`() {
        #expect(Set(ForeignCase.all.keys) == Set(Self.operations.map(\.name)))
        for operation in Self.operations {
            let named = operation.parameters.filter {
                $0.place == .path || ["before", "since"].contains($0.name)
            }
            guard case .namesNothing? = ForeignCase.all[operation.name] else { continue }
            #expect(
                named.isEmpty && (operation.body == nil || operation.name == "changeApp"), "\(operation.name)"
            )
        }
    }

    @Test
    func `rule 12: another app's ids and cursors are answered like unknown ones, and nothing changes there`()
        async throws
    {
        try await DeviceStage.open(delivery: .person) { stage in
            let ours = try await TenantWorld.make(stage, stage.acme, person: "ana")
            let theirs = try await TenantWorld.make(stage, stage.globex, person: "gus")
            let view = try await theirs.phone.inbox()
            let before = try await stage.digest(of: stage.globex)
            #expect(before.count > 10)
            for operation in Self.operations {
                for caller in operation.callers(in: ours) {
                    try await judge(operation, as: caller, in: ours, naming: theirs.belongings, stage)
                }
            }
            #expect(try await stage.digest(of: stage.globex) == before)
            #expect(try await theirs.phone.inbox(etag: view.etag).status == 304)
        }
    }

    @Test func `reported fault: one call did not check whose message it was, within an app`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let ours = try await TenantWorld.make(stage, stage.acme, person: "ana")
            let other = try await Phone.register(stage)
            var names = Belongings()
            (names.message, names.channel) = (try await other.receive(TenantWorld.secret), other.channel)
            names.cursor = try await other.inbox().cursor
            names.next["/v1/inbox"] = try await other.inbox("?limit=1").next
            let before = try await other.inbox()
            for operation in Self.operations where operation.isForReaders {
                for caller in operation.callers(in: ours) {
                    try await judge(operation, as: caller, in: ours, naming: names, stage)
                }
            }
            let after = try await other.inbox(etag: before.etag)
            #expect(after.status == 304 && before.unread.contains(names.message))
        }
    }

    @Test func `rule 12: secrets, tokens and sessions of one app open nothing of another`() async throws {
        try await DeviceStage.open(delivery: .person) { stage in
            let ours = try await TenantWorld.make(stage, stage.acme, person: "ana")
            let theirs = try await TenantWorld.make(stage, stage.globex, person: "gus")
            let token = try await stage.token(of: stage.globex, for: Set(TokenScope.allCases)).text
            let channelToken = try await Phone.channelToken(stage, stage.globex, theirs.phone.channel)
            let mixed = theirs.mixed(into: ours)
            let before = try await (stage.digest(of: stage.acme), stage.digest(of: stage.globex))
            for operation in Self.operations {
                let wrong: [String] =
                    switch operation.access {
                    case .open: []
                    case .reader, .device: mixed.readers + [ours.app.basic, ours.app.masterBasic]
                    case .app: [mixed.app, "Bearer \(channelToken)", ours.app.masterBasic]
                    case .backend: [mixed.backend, "Bearer \(token)", ours.app.basic, ours.phone.basic]
                    }
                let target = operation.target(naming: Belongings())
                for authorization in wrong + operation.callers(in: theirs) {
                    let answer = await stage.call(
                        operation.method, target, authorization, "{}",
                        headers: ["X-UA-Appkey": stage.acme.key])
                    #expect(answer.status == 401, "\(operation.name): \(answer.text)")
                    #expect(answer.headers["www-authenticate"] != nil && answer.stream == nil)
                }
            }
            let after = try await (stage.digest(of: stage.acme), stage.digest(of: stage.globex))
            #expect(after == before)
        }
    }

    /// Asks an operation for what belongs to others, and for what is nobody's.
    private func judge(
        _ operation: InboxHTTP.Operation, as caller: String, in world: TenantWorld, naming names: Belongings,
        _ stage: DeviceStage
    ) async throws {
        guard case .requests(let make)? = ForeignCase.all[operation.name] else { return }
        let nobody = Belongings()
        let controls = make(nobody)
        for (index, request) in make(names).enumerated() {
            let answer = await stage.call(operation.method, request.target, caller, request.body)
            let hint = "\(operation.name) \(request.target): \(answer.status) \(answer.text)"
            switch request.outcome {
            case .likeUnknown:
                let control = controls[index]
                let expected = await stage.call(operation.method, control.target, caller, control.body)
                #expect(answer.status == expected.status, "\(hint)")
                #expect(answer.told(of: names) == expected.told(of: nobody), "\(hint)")
            case .nothingOfOthers:
                #expect([200, 400].contains(answer.status), "\(hint)")
                #expect(!names.texts.contains { answer.text.contains($0) }, "\(hint)")
            case .reset:
                let changes = try ChangesAnswer(answer)
                let own = try Inbox(await stage.call(.get, "/v1/inbox", caller))
                #expect(
                    changes.isReset && changes.removed.isEmpty && changes.changed.ids == own.ids, "\(hint)")
            case .conflict:
                let code = try answer.json["code"]?.asText
                #expect(answer.status == 409 && code == "conflict", "\(hint)")
            }
        }
    }
}

extension InboxHTTP.Operation {
    fileprivate var isForReaders: Bool {
        switch access {
        case .reader, .device: true
        case .open, .app, .backend: false
        }
    }

    /// The credentials that open the operation within an app, or that a device's user has.
    fileprivate func callers(in world: TenantWorld) -> [String] {
        switch access {
        case .open: []
        case .reader, .device: [world.phone.basic, world.bearer]
        case .app: [world.app.basic]
        case .backend: [world.app.masterBasic]
        }
    }

    /// The pattern with what is nobody's for each parameter.
    fileprivate func target(naming names: Belongings) -> String {
        pattern.split(separator: "/").map { part in
            switch part {
            case "{message}": "/\(names.message)"
            case "{channel}": "/\(names.channel)"
            case "{schedule}": "/\(names.schedule)"
            case "{named_user}": "/\(names.person)"
            case "{user_id}": "/\(names.session)"
            default: "/\(part)"
            }
        }.joined()
    }
}

extension TenantWorld {
    /// Names of another app with the secrets of this one.
    fileprivate func mixed(into other: TenantWorld) -> (readers: [String], app: String, backend: String) {
        let session = other.belongings.session + bearer.suffix(22)
        return (
            [DeviceStage.App.basic(other.phone.user, phone.password), "Bearer \(session)"],
            DeviceStage.App.basic(other.app.key, app.secret),
            DeviceStage.App.basic(other.app.key, app.masterSecret)
        )
    }
}

extension Response {
    /// What an answer says, names aside and what is made anew for each.
    fileprivate func told(of names: Belongings) -> JSON? {
        var text = text
        for name in names.texts.sorted(by: { $0.count > $1.count }) {
            text = text.replacingOccurrences(of: name, with: "NAME")
        }
        return try? JSON.parse(Array(text.utf8)).withoutFreshTexts
    }
}

extension JSON {
    private static let fresh: Set = [
        "user_id", "cursor", "message_id", "push_id", "token", "sent", "expires",
    ]

    /// With one word for each text that every answer makes anew.
    fileprivate var withoutFreshTexts: JSON {
        switch self {
        case .object(let members):
            .object(
                members.map { member in
                    let isFresh = JSON.fresh.contains(member.name) && member.value.asText != nil
                    return JSONMember(
                        member.name, isFresh ? .string("FRESH") : member.value.withoutFreshTexts)
                })
        case .array(let elements): .array(elements.map(\.withoutFreshTexts))
        default: self
        }
    }
}
