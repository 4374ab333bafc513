import Foundation
import Testing

/// The house rules that a machine can check, over every file of the project.
struct TidyTests {
    @Test func `files stay short`() {
        #expect(Project.files.flatMap(Rules.fileLength) == [])
    }

    @Test func `functions stay short, flat and with few parameters`() {
        #expect(Project.swiftFiles.flatMap(Rules.functions) == [])
    }

    @Test func `no file holds a banned word`() {
        #expect(Project.files.flatMap(Rules.words) == [])
    }

    @Test func `types are named after things of the domain`() {
        #expect(Project.swiftFiles.flatMap(Rules.typeNames) == [])
    }

    @Test func `targets import only what the table allows`() {
        #expect(Project.swiftFiles.flatMap(Imports.violations) == [])
    }

    @Test func `every target has a row in the table`() {
        let targets = Set(Project.swiftFiles.filter { !$0.isTest }.compactMap(\.target))
        #expect(targets.subtracting(Imports.allowed.keys) == [])
        #expect(targets.contains("Platform"))  // the files were found at all
    }

    @Test func `the reference model is short and takes no rule from what it judges`() {
        let model = Project.swiftFiles.filter { $0.target == "ReferenceInbox" && !$0.isTest }
        #expect((1...ReferenceModel.mostLines).contains(model.reduce(0) { $0 + $1.lines.count }))
        func names(_ target: String) -> Set<String> {
            ReferenceModel.names(
                declaredIn: Project.swiftFiles.filter { $0.target == target && !$0.isTest })
        }
        let judged = names("InboxModel").subtracting(names("Platform"))
        #expect(judged.isSuperset(of: ["MessageID", "Draft", "validate"]))  // the names were found at all
        #expect(ReferenceModel.violations(model, against: judged) == [])
    }

    @Test func `an excuse names its rule and a reason`() {
        #expect(Project.files.flatMap(Rules.excuses) == [])
    }

    @Test(arguments: ["docs/decisions", "migrations"])
    func `numbers run without gap or double`(folder: String) {
        #expect(Numbering.faults(in: Project.names(in: folder)) == [])
    }

    @Test func `every script can be run and tells how`() async throws {
        for script in ["run", "test"] + Project.names(in: "scripts").map({ "scripts/\($0)" }) {
            var isFolder: ObjCBool = false
            let path = Project.root.appending(path: script).path
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue
            else { continue }
            try #require(FileManager.default.isExecutableFile(atPath: path), "\(script) is not executable")
            let (code, output) = try Self.help(of: path)
            #expect(code == 0 && output.contains("usage: "), "\(script) --help")
        }
    }

    private static func help(of path: String) throws -> (code: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: path)
        process.arguments = ["--help"]
        process.standardOutput = pipe
        try process.run()
        var output = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(pipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
            // Foundation's own reading ends the process where a signal interrupts it.
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            output += buffer[..<count]
        }
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}

/// Files that are read in the order of the number they start with: `0001-title.md`, `0002_title.sql`.
enum Numbering {
    /// Names without a number, and numbers that are missing or twice, in a sorted list of names.
    static func faults(in names: [String]) -> [String] {
        names.enumerated().filter { index, name in
            let number = name.prefix(4)
            return
                !(number.allSatisfy(\.isNumber) && Int(number) == index + 1
                && "-_".contains(name.dropFirst(4).prefix(1)))
        }.map(\.element)
    }
}
