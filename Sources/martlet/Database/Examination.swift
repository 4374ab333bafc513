import HTTPServer
import InboxStorage
import Platform
import Postgres

/// Looks at a database as a server with this configuration would find it; changes nothing.
struct Examination {
    let database: Database
    let configuration: ServeConfiguration

    /// - Throws: `PostgresError` if the database does not even answer.
    func findings() throws -> [Finding] {
        let health = try DatabaseHealth(database.connection)
        let pending = schema()
        var findings = [version(health), pending.finding, try rights()]
        if pending.isCurrent {
            findings.append(key())
            findings.append(try apps())
            findings.append(try retention())
        }
        findings += [durability(health), connections(health), descriptors()]
        return findings + [try vacuum(health), size(health)]
    }

    private func version(_ health: DatabaseHealth) -> Finding {
        let text = "martlet \(Version.current), PostgreSQL \(health.versionText)"
        guard health.versionNumber >= DatabaseHealth.oldestVersionNumber else {
            return Finding("versions", .bad, text, advice: ["PostgreSQL 14 or newer is needed: upgrade it"])
        }
        guard health.encoding == "UTF8" else {
            let advice = ["create the database with ENCODING 'UTF8' TEMPLATE template0"]
            return Finding("versions", .bad, "\(text), encoding \(health.encoding)", advice: advice)
        }
        return Finding("versions", .good, text)
    }

    private func schema() -> (finding: Finding, isCurrent: Bool) {
        do {
            let status = try database.schemaStatus()
            guard status.pending.isEmpty else {
                let detail =
                    "\(Text.count(status.applied.count, "migration")) applied, \(status.pending.count) pending"
                let advice = "run `martlet migrate`, or let `martlet serve` do it"
                return (Finding("schema", .doubtful, detail, advice: [advice]), false)
            }
            return (
                Finding(
                    "schema", .good, "\(Text.count(status.applied.count, "migration")) applied, none pending"),
                true
            )
        } catch {
            let advice = (error as? CommandFailure)?.lines ?? ["\(error)"]
            return (Finding("schema", .bad, "does not fit this program", advice: advice), false)
        }
    }

    private func rights() throws -> Finding {
        let rights = try ServingRights(database.connection)
        guard !rights.missing.isEmpty else {
            return Finding("rights", .good, "member of \(ServingRights.roles.joined(separator: " and "))")
        }
        if rights.canMakeRoles {
            return Finding("rights", .good, "may make the roles, which `martlet migrate` does")
        }
        let advice = ["an administrator of the database has to run:"] + rights.missing.map { "    \($0)" }
        return Finding("rights", .bad, "the database user lacks rights", advice: advice)
    }

    private func key() -> Finding {
        do {
            let isKnown = try database.checkKey()
            return Finding(
                "key", .good,
                isKnown ? "the key file fits" : "the first server or app will tie a key to the database")
        } catch {
            let advice = (error as? CommandFailure)?.lines ?? ["\(error)"]
            return Finding("key", .bad, "no usable key", advice: advice)
        }
    }

    private func apps() throws -> Finding {
        let count = try AppRegister(database.connection).apps().count
        guard count > 0 else {
            return Finding("apps", .good, "none yet", advice: ["`martlet app create NAME` makes one"])
        }
        return Finding("apps", .good, "\(count)")
    }

    private func retention() throws -> Finding {
        guard let ended = try Installation(database.connection).retentionEnded() else {
            return Finding("retention", .good, "has not run yet; a server does it every hour")
        }
        return Finding("retention", .good, "last ran at \(Text.time(ended))")
    }

    private func durability(_ health: DatabaseHealth) -> Finding {
        guard health.isDurable else {
            let advice = ["set fsync = on and synchronous_commit = on in postgresql.conf"]
            return Finding("durability", .bad, "a crash can lose what was answered", advice: advice)
        }
        return Finding("durability", .good, "commits wait for the disk")
    }

    private func connections(_ health: DatabaseHealth) -> Finding {
        let needed = Int64(configuration.loops * LoopServer.connections + BackgroundServer.connections)
        let (allowed, open) = health.connections
        let detail =
            "\(open) open of \(allowed); a server with \(Text.count(configuration.loops, "loop")) takes \(needed)"
        guard open + needed <= allowed else {
            return Finding(
                "connections", .doubtful, detail, advice: ["raise max_connections, or use fewer --loops"])
        }
        return Finding("connections", .good, detail)
    }

    private func descriptors() -> Finding {
        let allowed = DescriptorLimit.raise()
        let needed = configuration.limits.http.connections + Examination.spareDescriptors
        let detail = "\(allowed) allowed; \(configuration.limits.http.connections) connections need \(needed)"
        guard allowed >= needed else {
            return Finding(
                "descriptors", .doubtful, detail, advice: ["raise ulimit -n, or lower --limit-connections"])
        }
        return Finding("descriptors", .good, detail)
    }

    /// For PostgreSQL, listeners, libraries and files.
    private static let spareDescriptors = 100

    private func vacuum(_ health: DatabaseHealth) throws -> Finding {
        guard health.hasAutovacuum else {
            let advice = ["set autovacuum = on and track_counts = on in postgresql.conf"]
            return Finding(
                "vacuum", .bad, "autovacuum is off, so everything becomes slower and slower", advice: advice)
        }
        let stale = try StaleTable.all(database.connection)
        guard stale.isEmpty else {
            let advice = stale.map {
                "VACUUM ANALYZE \($0.name);  -- \($0.deadRows) dead rows, \($0.liveRows) live"
            }
            return Finding("vacuum", .doubtful, "autovacuum does not keep up", advice: advice)
        }
        return Finding("vacuum", .good, "autovacuum keeps up")
    }

    private func size(_ health: DatabaseHealth) -> Finding {
        Finding("size", .good, "\(health.bytes / (1 << 20)) MiB")
    }
}
