import Foundation

// StoreProbe STORE LOG FIRST POINT: one day of a device, from message FIRST on, that dies at the POINT-th point of it.
let arguments = CommandLine.arguments
let log = try FileHandle(forUpdating: URL(fileURLWithPath: arguments[2]))
var server = ProbeServer(log: log)
for line in String(decoding: try log.readToEnd() ?? Data(), as: UTF8.self).split(separator: "\n") {
    server.take(String(line))
}
var probe = try Probe(path: arguments[1], server: server, dyingAt: Int(arguments[4]) ?? 0)
try probe.live(from: Int(arguments[3]) ?? 0)
