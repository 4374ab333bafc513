import InboxWire

extension LoadReport {
    /// The report as one JSON object; times in microseconds.
    package func json(_ usage: Usage? = nil) -> [UInt8] {
        JSONWriter.bytes(capacity: 4096) { writer in
            writer.object { writer in
                write(to: &writer)
                guard let usage else { return }
                writer.object("simulator") { writer in
                    writer.member("cpu_ms", Int(usage.cpu.milliseconds))
                    writer.member("peak_bytes", usage.peakBytes)
                }
            }
        }
    }

    private func write(to writer: inout JSONWriter) {
        writer.member("right", isRight)
        writer.member("inboxes", options.devices)
        writer.member("inboxes_right", right)
        writer.member("differences", findings.count)
        writer.member("seed", String(options.seed))
        writer.member("delivery", delivery.rawValue)
        writer.member("load_ms", Int(loadTime.milliseconds))
        writer.member("abandoned", wasAbandoned)
        writer.object("sends") { writer in
            writer.member("answered", sent.answered)
            writer.member("unanswered", sent.unanswered)
            writer.member("arrived_unanswered", sent.provenLater)
            writer.member("to_everyone", sent.toEveryone)
            writer.member("recalled", sent.recalled)
        }
        writer.member("lists_checked", measurements.checkedLists)
        writer.member("unanswered", measurements.unanswered)
        writer.object("outages") { writer in
            writer.member("count", outages.count)
            writer.member("longest_ms", Int(outages.longest.milliseconds))
        }
        writer.object("statuses") { writer in
            for (status, count) in measurements.statuses.sorted(by: { $0.key < $1.key }) {
                writer.member(String(status), count)
            }
        }
        writeTimes(to: &writer)
        writer.array("first_differences") { writer in
            for difference in findings.first { writer.value(difference.words) }
        }
    }

    private func writeTimes(to writer: inout JSONWriter) {
        var rows = Call.allCases.compactMap { call in measurements.answered[call].map { (call.rawValue, $0) }
        }
        rows.append(("not_modified", measurements.notModified))
        writer.object("times") { writer in
            for (name, histogram) in rows {
                writer.object(name) { writer in
                    writer.member("count", histogram.count)
                    writer.member("p50_us", Int(histogram.percentile(50)?.microseconds ?? 0))
                    writer.member("p99_us", Int(histogram.percentile(99)?.microseconds ?? 0))
                }
            }
        }
    }
}
