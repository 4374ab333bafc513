package import Crypto
package import InboxModel

/// A device that says who is logged in on it; here alone is decided whether that counts.
package struct LogIn: Sendable {
    package var channel: ChannelID
    package var person: NamedUserID
    package var claim: IdentityClaim

    package init(_ channel: ChannelID, as person: NamedUserID, by claim: IdentityClaim) {
        self.channel = channel
        self.person = person
        self.claim = claim
    }

    /// What claims are checked by, besides the app.
    package struct Rules: Sendable {
        /// The installation's.
        package var key: SecretKey
        package var limits: Limits

        package init(key: SecretKey, limits: Limits) {
            self.key = key
            self.limits = limits
        }
    }

    /// Logs the device in; one that is logged in as that person stays so, whatever it shows.
    ///
    /// A refusal never leaves somebody else logged in: whoever was is logged out first, for the device has changed hands.
    /// - Throws: `InboxError.forbidden` if the claim does not count, `InboxError.notFound` for an unknown channel.
    package func carryOut(
        in store: any PeopleStore, of app: AppCredentials, by rules: Rules
    ) async throws -> Association {
        do {
            let proof = try verifiedProof(of: app, by: rules)
            switch try await store.logIn(channel, as: person, with: proof, in: app.app) {
            case .done(let association): return association
            case .unknownChannel: throw InboxError.notFound(what: "channel")
            case .usedProof: throw ProofRefusal.used
            }
        } catch let refusal as ProofRefusal {
            guard let left = try await store.logOut(channel, .unlessAs(person), in: app.app) else {
                throw InboxError.notFound(what: "channel")
            }
            guard left.namedUser == person else { throw InboxError(refusal) }
            return left
        }
    }

    /// The proof, if one is shown; nothing if none is needed.
    private func verifiedProof(of app: AppCredentials, by rules: Rules) throws -> VerifiedProof? {
        switch claim {
        case .bare:
            switch app.identityMode {
            case .trusted: return nil
            case .verified: throw ProofRefusal.missing
            }
        case .unreadable(let refusal): throw refusal
        case .signed(let proof):
            let check = ProofCheck(
                app: app.key, keys: try identityKeys(of: app, under: rules.key), channel: channel,
                now: app.now, limits: rules.limits)
            return try check.verify(proof, for: person)
        }
    }

    private func identityKeys(of app: AppCredentials, under key: SecretKey) throws(StoreFault)
        -> [IdentityKey]
    {
        do throws(PublicKeyError) {
            return try app.identityKeys(under: key)
        } catch {
            throw StoreFault.broken("a public key that was stored cannot be read any more")
        }
    }
}

/// What became of a log-in.
package enum LogInOutcome: Sendable {
    case done(Association)
    case unknownChannel
    /// The proof is for another device, which showed it first; nothing was changed.
    case usedProof
}

/// Whether a device is logged out.
package enum LogOut: Sendable {
    case always
    /// Only if this person is logged in.
    case onlyAs(NamedUserID)
    /// Unless this person is logged in.
    case unlessAs(NamedUserID)
}
