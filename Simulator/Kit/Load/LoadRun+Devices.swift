import Foundation
import HTTPCore
import InboxWire
import Platform

extension LoadRun {
    // MARK: A device's life

    /// Registers, and logs some in.
    func arrive(_ device: Int) async {
        await living(device) {
            try await register(device)
            if devices[device].random.chance(options.profile.loggedIn) {
                try await logIn(device, as: device % options.people)
            }
            try await refresh(device)
        }
    }

    /// Syncs with pauses until the load ends; whoever has not registered comes in its first half.
    func live(_ device: Int) async {
        if devices[device].user == nil {
            await living(device) {
                try await pause(Arrivals.delay(in: options.duration, using: &devices[device].random))
                await arrive(device)
            }
        }
        await living(device) {
            while !devices[device].hasStopped {
                try await pause(devices[device].random.pause(mean: options.refresh))
                if clock.now() >= loadEnd { return }
                try await turn(device)
            }
        }
    }

    private func turn(_ device: Int) async throws {
        if devices[device].random.chance(options.profile.logins) { try await changeLogin(device) }
        try await handIn(.read, device)
        try await handIn(.delete, device)
        let shown = try await refresh(device)
        choose(device)
        if let message = devices[device].random.element(of: shown),
            devices[device].random.chance(options.profile.opens)
        {
            try await readBody(of: message, device)
        }
    }

    /// Runs a part of a device's life; what was refused ends it.
    private func living(_ device: Int, _ part: () async throws -> Void) async {
        guard !devices[device].hasStopped else { return }
        do {
            try await part()
        } catch RunEnd.over {
            return
        } catch {
            devices[device].hasStopped = true
        }
    }

    // MARK: Registering

    private func register(_ device: Int) async throws {
        let kind = devices[device].kind
        ledger.willRegister(device, at: moment())
        let tags = [composition.tag(device % options.tags), "sim-all"]
        let (channel, answered) = try await openChannel(kind, tags: tags, for: device)
        ledger.didRegister(device, at: answered)
        devices[device].channel = channel
        devices[device].user = try await openUser(kind, channel: devices[device].channelText, for: device)
    }

    func openChannel(_ kind: DeviceKind, tags: [String], for device: Int?) async throws -> (UUID, Moment) {
        let asked = Asked(name: "POST /api/channels/", device: device)
        let answer = try await persist(.channel) { access.createChannel(kind, tags: tags, nonce: nonce()) }
        try expect([200, 201], answer, to: asked)
        let text = try decode(ChannelAnswer.self, answer, to: asked).channelID
        guard let channel = UUID(uuidString: text), text == text.lowercased() else {
            refuse(asked, "channel id \(text) is no UUID in lower case")
            throw RunEnd.refused
        }
        return (channel, answer.span.end)
    }

    func openUser(_ kind: DeviceKind, channel: String, for device: Int?) async throws -> InboxUser {
        let askedToken = Asked(name: "GET /api/auth/device", device: device)
        let token = try await persist(.token) { access.deviceToken(kind, channel: channel, nonce: nonce()) }
        try expect([200], token, to: askedToken)
        let text = try decode(TokenAnswer.self, token, to: askedToken).token
        let asked = Asked(name: "POST /api/user/", device: device)
        let answer = try await persist(.user) { access.createUser(kind, channel: channel, token: text) }
        try expect([201], answer, to: asked)
        let user = try decode(UserAnswer.self, answer, to: asked)
        return InboxUser(id: user.id, password: user.password)
    }

    // MARK: Logging in and out

    private func changeLogin(_ device: Int) async throws {
        let next = ledger.nextPerson(after: ledger.person(on: device), using: &devices[device].random)
        guard let next else { return try await setLogin(device, to: nil) }
        try await logIn(device, as: next)
    }

    /// Logs in as a person who has room for another device.
    private func logIn(_ device: Int, as person: Int) async throws {
        guard ledger.hasRoom(for: person) else { return }
        try await setLogin(device, to: person)
    }

    private func setLogin(_ device: Int, to person: Int?) async throws {
        ledger.willChangeLogin(of: device, to: person, at: moment())
        let answered = try await setLogin(
            devices[device].kind, channel: devices[device].channelText, to: person.map(composition.person),
            for: device)
        ledger.didChangeLogin(of: device, to: person, at: answered)
    }

    /// Logs a channel in or out as the app allows it, until that was answered.
    ///
    /// A login whose answer was lost is repeated after a pause, so that the lost one cannot overtake what follows.
    func setLogin(
        _ kind: DeviceKind, channel: String, to person: String?, for device: Int?
    ) async throws -> Moment {
        if !associatesByBackend {
            let asked = Asked(name: "POST /api/contacts/identify/v2", device: device)
            let answer = try await persist(.login) {
                access.identify(kind, channel: channel, as: person, nonce: nonce())
            }
            if answer.response.status != 403 {
                try expect([200], answer, to: asked)
                let contact = try decode(ContactAnswer.self, answer, to: asked).contact
                if contact.isAnonymous != (person == nil) || CalendarTime(text: contact.associated) == nil {
                    refuse(asked, "contact \(contact)")
                }
                return answer.span.end
            }
            associatesByBackend = true
        }
        let name = person == nil ? "disassociate" : "associate"
        let answer = try await persist(.login) { access.associate(kind, channel: channel, with: person) }
        try expect([200], answer, to: Asked(name: "POST /api/named_users/\(name)/", device: device))
        return answer.span.end
    }
}
