import Foundation
import PrivateCluster

/// A process that this one has started, in a session of its own and with nothing of our environment but `PATH`.
///
/// Not Foundation's `Process`: that reads past a buffer when more than some 1,300 descriptors are open.
final class Child {
    let id: pid_t
    private var code: Int32?

    /// Starts a program with its arguments; what it says goes to the end of `log`.
    convenience init(_ command: [String], log: String) throws {
        guard let input = FileHandle(forReadingAtPath: "/dev/null") else {
            throw GroundError(what: "/dev/null cannot be read")
        }
        try self.init(command, input: input, output: LogFile.open(log))
    }

    /// Starts a program with its arguments between two files.
    init(_ command: [String], input: FileHandle, output: FileHandle) throws {
        id = try Subprocess(command: command).start(
            stdin: input.fileDescriptor, output: output.fileDescriptor)
    }

    /// Whether it has not ended.
    var isRunning: Bool { exitCode == nil }

    /// How it ended, as a shell tells it: a signal is 128 and its number; nothing while it runs.
    var exitCode: Int32? {
        var status: Int32 = 0
        // Its number stays its own until we have asked how it ended.
        if code == nil, unsafe waitpid(id, &status, WNOHANG) == id {
            let ending = status & 0x7f
            code = ending == 0 ? status >> 8 & 0xff : 128 + ending
        }
        return code
    }
}
