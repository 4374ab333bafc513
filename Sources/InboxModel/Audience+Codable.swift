import Platform

/// The form in which an audience is stored until all of it has its message; it outlives versions of the program.
///
/// `{"tags":["vip"],"group":"device"}`, `{"all":[…]}`; a form that is unknown is refused.
extension Audience: Codable {
    private enum CodingKeys: String, CodingKey {
        case everyone
        case channels
        case type
        case namedUsers = "named_users"
        case tags
        case group
        case all
        case any
        case not
    }

    package init(from decoder: any Decoder) throws {
        let form = try decoder.container(keyedBy: CodingKeys.self)
        if form.contains(.everyone) {
            self = .everyone
        } else if form.contains(.channels) {
            self = .channels(
                try form.decode([ChannelID].self, forKey: .channels),
                type: try form.decodeIfPresent(Int16.self, forKey: .type).map { number in
                    guard let type = DeviceType(rawValue: number) else {
                        throw DecodingError.unknown(.type, in: form)
                    }
                    return type
                })
        } else if form.contains(.namedUsers) {
            let names = try form.decode([String].self, forKey: .namedUsers)
            self = .namedUsers(names.map { NamedUserID(stored: $0) })
        } else if form.contains(.tags) {
            self = .tags(
                try form.decode([String].self, forKey: .tags),
                group: try form.decode(String.self, forKey: .group))
        } else if form.contains(.all) {
            self = .all(try form.decode([Audience].self, forKey: .all))
        } else if form.contains(.any) {
            self = .any(try form.decode([Audience].self, forKey: .any))
        } else if form.contains(.not) {
            self = .not(try form.decode(Audience.self, forKey: .not))
        } else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: form.codingPath, debugDescription: "an unknown audience"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var form = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .everyone: try form.encode(true, forKey: .everyone)
        case .channels(let channels, let type):
            try form.encode(channels, forKey: .channels)
            try form.encodeIfPresent(type?.rawValue, forKey: .type)
        case .namedUsers(let people): try form.encode(people.map(\.text), forKey: .namedUsers)
        case .tags(let tags, let group):
            try form.encode(tags, forKey: .tags)
            try form.encode(group, forKey: .group)
        case .all(let parts): try form.encode(parts, forKey: .all)
        case .any(let parts): try form.encode(parts, forKey: .any)
        case .not(let part): try form.encode(part, forKey: .not)
        }
    }
}

/// As its UUID's text.
extension ChannelID: Codable {
    package init(from decoder: any Decoder) throws {
        let form = try decoder.singleValueContainer()
        guard let channel = ChannelID(text: try form.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: form, debugDescription: "no channel's id")
        }
        self = channel
    }

    package func encode(to encoder: any Encoder) throws {
        var form = encoder.singleValueContainer()
        try form.encode(text)
    }
}

/// As `{"longest":true}`, `{"never":true}`, `{"after":60}` in seconds, or `{"at":…}` in milliseconds since 1970.
extension Expiry: Codable {
    private enum CodingKeys: String, CodingKey {
        case longest
        case never
        case after
        case at
    }

    package init(from decoder: any Decoder) throws {
        let form = try decoder.container(keyedBy: CodingKeys.self)
        if let seconds = try form.decodeIfPresent(Int64.self, forKey: .after) {
            self = .after(seconds: seconds)
        } else if let milliseconds = try form.decodeIfPresent(Int64.self, forKey: .at) {
            self = .at(Instant(milliseconds: milliseconds))
        } else if form.contains(.never) {
            self = .never
        } else if form.contains(.longest) {
            self = .longest
        } else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: form.codingPath, debugDescription: "an unknown expiry"))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var form = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .longest: try form.encode(true, forKey: .longest)
        case .never: try form.encode(true, forKey: .never)
        case .after(let seconds): try form.encode(seconds, forKey: .after)
        case .at(let instant): try form.encode(instant.milliseconds, forKey: .at)
        }
    }
}

extension DecodingError {
    /// A value that this version does not know.
    fileprivate static func unknown<Key: CodingKey>(
        _ key: Key, in form: KeyedDecodingContainer<Key>
    ) -> DecodingError {
        .dataCorruptedError(forKey: key, in: form, debugDescription: "an unknown value")
    }
}
