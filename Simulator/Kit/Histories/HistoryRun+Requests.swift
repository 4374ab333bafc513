import Foundation
import HTTPCore
import InboxModel
import ReferenceInbox

extension HistoryRun {
    /// What an action asks for; nothing if someone it needs is not there.
    func plan(_ action: Action) throws(Unreadable) -> Plan? {
        switch action {
        case .attach, .uninstall, .tagDevice, .login, .logout: return devicePlan(action)
        case .openSession(let session, let tenant, let person, let seconds):
            guard sessions[session] == nil else { return nil }
            return Plan(
                tenant: tenant,
                request: tenants[tenant].calls.openSession(for: World.people[person], seconds: seconds))
        case .endSession(let session):
            guard let member = sessions[session] else { return nil }
            return Plan(
                tenant: member.tenant, request: tenants[member.tenant].calls.endSession(member.user))
        case .erase(let tenant, let person):
            return Plan(tenant: tenant, request: tenants[tenant].calls.erase(World.people[person]))
        case .tagPerson(let tenant, let person, let tags):
            return Plan(tenant: tenant, request: tenants[tenant].calls.tag(World.people[person], names(tags)))
        case .change(let tenant, let settings):
            return Plan(tenant: tenant, request: tenants[tenant].calls.change(to: settings))
        case .send(let sending):
            guard sends[sending.number] == nil else { return nil }
            let calls = tenants[sending.tenant].calls
            return Plan(tenant: sending.tenant, request: calls.send(sending, to: audience(of: sending)))
        case .sendAgain(let number):
            return sends[number].map { Plan(tenant: $0.sending.tenant, request: $0.request) }
        case .recall(let number):
            return sends[number].map { sent in
                Plan(tenant: sent.sending.tenant, request: tenants[sent.sending.tenant].calls.recall(sent.id))
            }
        case .mark(let caller, let mark, let numbers, let surface):
            guard let member = member(caller) else { return nil }
            let messages = ids(numbers)
            let request = tenants[member.tenant].calls.mark(
                mark, messages.map(\.text), of: member.user, through: surface, as: member.authorization)
            return Plan(tenant: member.tenant, request: request, messages: messages)
        case .markAll(let caller, let mark):
            guard let member = member(caller), let seen = clients[caller]?.seen else { return nil }
            let request = tenants[member.tenant].calls.markAll(
                mark, upTo: seen.cursor, as: member.authorization)
            return Plan(tenant: member.tenant, request: request, seen: seen)
        case .look(let caller, let look): return lookPlan(look, by: caller)
        case .register, .wait, .waitForExpiry, .waitForEnd, .together: return nil
        }
    }

    private func devicePlan(_ action: Action) -> Plan? {
        switch action {
        case .attach(let device, let other):
            guard let member = devices[device], let target = devices[other], member.tenant == target.tenant,
                let channel = target.home, target.type != .web
            else { return nil }
            let request = tenants[member.tenant].calls.attach(
                channel, target.type, to: member.user, as: member.authorization)
            return Plan(tenant: member.tenant, request: request, channel: channel)
        case .uninstall(let device):
            return ofDevice(device) { $0.uninstall($1, as: $2.authorization) }
        case .tagDevice(let device, let tags, let ofPeople):
            return ofDevice(device) { calls, channel, _ in
                calls.tag(channel, names(tags), ofPeople: ofPeople)
            }
        case .login(let device, let person, .backend):
            return ofDevice(device) { calls, channel, _ in
                calls.associate(channel, with: World.people[person])
            }
        case .logout(let device, .backend):
            return ofDevice(device) { calls, channel, _ in calls.associate(channel, with: nil) }
        case .login(let device, let person, .device):
            return devices[device].map { member in
                let calls = tenants[member.tenant].calls
                return Plan(
                    tenant: member.tenant,
                    request: calls.login(as: World.people[person], by: member.authorization))
            }
        case .logout(let device, .device):
            return devices[device].map { member in
                let calls = tenants[member.tenant].calls
                return Plan(tenant: member.tenant, request: calls.logout(by: member.authorization))
            }
        default: return nil
        }
    }

    private func ofDevice(
        _ device: Int, _ request: (AppCalls, ChannelID, Member) -> Request
    ) -> Plan? {
        guard let member = devices[device], let channel = member.channel else { return nil }
        let request = request(tenants[member.tenant].calls, channel, member)
        return Plan(tenant: member.tenant, request: request, channel: channel)
    }

    func member(_ caller: Caller) -> Member? {
        switch caller {
        case .device(let device): devices[device]
        case .session(let session): sessions[session]
        }
    }

    func names(_ tags: Set<Int>) -> [String] { tags.sorted().map { World.tags[$0] } }

    /// Ids of messages that were sent.
    func ids(_ numbers: [Int]) -> [MessageID] { numbers.compactMap { sends[$0]?.id } }

    /// Whom a message is for, as far as they are there.
    func audience(of sending: Sending) -> Audience { audience(sending.selection, in: sending.tenant) }

    private func audience(_ selection: Selection, in tenant: Int) -> Audience {
        switch selection {
        case .everyone: return .everyone
        case .devices(let numbers):
            // Another tenant's channel may be named: it is unknown here.
            let channels = numbers.compactMap { devices[$0]?.home }
            return .channels(channels.isEmpty ? [HistoryRun.nobody] : channels, type: nil)
        case .people(let numbers): return .namedUsers(numbers.map { World.people[$0] })
        case .tag(let tag, let ofPeople):
            return .tags([World.tags[tag]], group: AppCalls.tagGroup(ofPeople: ofPeople))
        case .nobody: return .namedUsers([NamedUserID(stored: "nobody")])
        case .all(let parts): return .all(parts.map { audience($0, in: tenant) })
        case .any(let parts): return .any(parts.map { audience($0, in: tenant) })
        case .not(let part): return .not(audience(part, in: tenant))
        }
    }

    /// A channel that no app has.
    private static let nobody = ChannelID(
        UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16)))

    // MARK: Looking

    private func lookPlan(_ look: Look, by caller: Caller) -> Plan? {
        guard let member = member(caller) else { return nil }
        let client = clients[caller] ?? HistoryClient()
        guard let (target, condition) = target(of: look, member, client) else { return nil }
        let request = tenants[member.tenant].calls.ask(target, as: member.authorization, condition)
        return Plan(tenant: member.tenant, request: request)
    }

    private func target(
        of look: Look, _ member: Member, _ client: HistoryClient
    ) -> (target: String, condition: (name: String, value: String)?)? {
        switch look {
        case .deviceList(let isConditional):
            let date = isConditional ? client.deviceList?.validator : nil
            return ("/api/user/\(member.user.text)/messages/", date.map { ("If-Modified-Since", $0) })
        case .list(let narrowing, let isConditional):
            let tag = isConditional ? client.lists[narrowing]?.validator : nil
            return ("/v1/inbox\(narrowing.query(first: "?"))", tag.map { ("If-None-Match", $0) })
        case .page(let limit, let isFirst):
            guard !isFirst else { return ("/v1/inbox?limit=\(limit)", nil) }
            return client.page.map { ("/v1/inbox?limit=\(limit)&before=\($0.next)", nil) }
        case .changes(let limit, let isRepeated, _):
            let cursor = isRepeated ? client.previousCursor : client.cursor
            return ("/v1/inbox/changes?limit=\(limit)" + (cursor.map { "&since=\($0)" } ?? ""), nil)
        case .sinceAnswer: return client.answered.map { ("/v1/inbox/changes?since=\($0.cursor)", nil) }
        case .count(let narrowing): return ("/v1/inbox/unread-count\(narrowing.query(first: "?"))", nil)
        case .message(let number): return sends[number].map { ("/v1/inbox/messages/\($0.id.text)", nil) }
        case .body(let number, .martlet):
            return sends[number].map { ("/v1/inbox/messages/\($0.id.text)/body", nil) }
        case .body(let number, .device):
            return sends[number].map { ("/api/user/messages/message/\($0.id.text)/body/", nil) }
        }
    }
}

extension Narrowing {
    /// The parameters of a query, `first` in front; empty if all is asked for.
    fileprivate func query(first: String) -> String {
        let parameters =
            (onlyUnread ? ["unread=true"] : []) + (tag.map { ["extra.tag=\(World.tags[$0])"] } ?? [])
        return parameters.isEmpty ? "" : first + parameters.joined(separator: "&")
    }
}
