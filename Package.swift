// swift-tools-version: 6.2

import PackageDescription

/// Settings of every target.
let common: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// Settings of targets in which an unsafe pointer is an error; the wrappers of C libraries do without.
let strict = common + [.strictMemorySafety()]

/// A target under `Sources/`.
func library(
    _ name: String, imports dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = strict,
    resources: [Resource] = []
) -> Target {
    .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: settings)
}

/// The tests of one target, under `Tests/`.
func tests(
    of name: String, imports dependencies: [Target.Dependency] = [], excluding excluded: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name)] + dependencies, exclude: excluded,
        swiftSettings: common)
}

let package = Package(
    name: "martlet",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "martlet", targets: ["martlet"]),
        .executable(name: "simulator", targets: ["simulator"]),
        .library(name: "InboxClient", targets: ["InboxClient"]),
    ],
    targets: [
        .systemLibrary(
            name: "CEvent", pkgConfig: "libevent", providers: [.apt(["libevent-dev"]), .brew(["libevent"])]),
        .systemLibrary(
            name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium",
            providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),

        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

        .systemLibrary(name: "CSystem"),
        library("Platform", settings: common),
        library("EventLoop", imports: ["Platform", "CEvent"], settings: common),
        library("HTTPCore", imports: ["Platform"]),
        library("Crypto", imports: ["Platform", "CSodium", "COpenSSL"], settings: common),
        library("Postgres", imports: ["Platform", "EventLoop", "CPostgres"], settings: common),
        library("PrivateCluster", imports: ["Platform", "CSystem"], settings: common),
        library("HTTPServer", imports: ["Platform", "EventLoop", "HTTPCore", "CEvent"], settings: common),
        library("HTTPClient", imports: ["Platform", "EventLoop", "HTTPCore", "CEvent"], settings: common),

        library("InboxModel", imports: ["Platform"]),
        library("InboxWire", imports: ["Platform", "InboxModel"]),
        library("InboxService", imports: ["Platform", "InboxModel", "Crypto"]),
        library(
            "InboxStorage", imports: ["Platform", "EventLoop", "InboxModel", "InboxService", "Postgres"],
            resources: [.embedInCode("Migrations")]),
        library(
            "InboxHTTP",
            imports: [
                "Platform", "EventLoop", "HTTPCore", "InboxModel", "InboxWire", "InboxService", "Crypto",
            ]),
        library("ClientCore", imports: ["Platform", "HTTPCore", "InboxModel"]),
        library(
            "InboxClient",
            imports: ["Platform", "HTTPCore", "InboxModel", "InboxWire", "ClientCore", "CSQLite"]),
        .executableTarget(
            name: "martlet",
            dependencies: [
                "Platform", "EventLoop", "HTTPCore", "HTTPServer", "Postgres", "PrivateCluster", "Crypto",
                "InboxModel", "InboxWire", "InboxService", "InboxStorage", "InboxHTTP", "ClientCore",
            ],
            swiftSettings: strict),

        .target(
            name: "ReferenceInbox", dependencies: ["Platform", "InboxModel"], path: "Simulator/Reference",
            swiftSettings: strict),
        .target(
            name: "SimulatorKit",
            dependencies: [
                "Platform", "HTTPCore", "InboxModel", "InboxWire", "ReferenceInbox", "ClientCore",
                "InboxClient",
            ],
            path: "Simulator/Kit", swiftSettings: strict),
        .target(
            name: "FaultProxy", dependencies: ["Platform", "EventLoop", "SimulatorKit"],
            path: "Simulator/Proxy", swiftSettings: common),
        .executableTarget(
            name: "simulator",
            dependencies: [
                "Platform", "EventLoop", "HTTPCore", "HTTPClient", "Crypto", "PrivateCluster", "SimulatorKit",
                "FaultProxy",
            ],
            path: "Simulator/Command", swiftSettings: strict),

        .target(
            name: "TestSupport",
            dependencies: [
                "Platform", "EventLoop", "InboxModel", "InboxService", "InboxStorage", "Postgres",
                "PrivateCluster",
            ],
            path: "Tests/TestSupport", swiftSettings: common),
        tests(of: "Crypto"),
        tests(of: "EventLoop", imports: ["Platform"]),
        tests(of: "HTTPCore"),
        tests(
            of: "InboxHTTP",
            imports: [
                "Platform", "EventLoop", "HTTPCore", "InboxModel", "InboxWire", "InboxService",
                "InboxStorage",
                "Crypto", "Postgres", "TestSupport", "ReferenceInbox", "SimulatorKit",
            ], excluding: ["Golden"]),
        .executableTarget(
            name: "StoreProbe", dependencies: ["Platform", "InboxModel", "ClientCore", "InboxClient"],
            path: "Tests/StoreProbe", swiftSettings: common),
        tests(
            of: "InboxClient",
            imports: [
                "Platform", "HTTPCore", "InboxModel", "InboxWire", "ClientCore", "TestSupport", "StoreProbe",
                "ReferenceInbox",
            ]),
        tests(of: "InboxModel", imports: ["Platform"]),
        tests(of: "Platform"),
        tests(of: "InboxService", imports: ["Platform", "InboxModel", "InboxWire", "Crypto"]),
        tests(of: "Postgres", imports: ["EventLoop", "Platform", "TestSupport"]),
        tests(of: "PrivateCluster", imports: ["Platform", "Postgres", "TestSupport"]),
        tests(
            of: "InboxStorage",
            imports: [
                "Platform", "EventLoop", "InboxModel", "InboxService", "Crypto", "Postgres", "TestSupport",
            ]),
        tests(of: "InboxWire", imports: ["Platform", "InboxModel"]),
        .testTarget(name: "TidyTests", swiftSettings: common),
        tests(
            of: "martlet", imports: ["InboxModel", "InboxWire", "InboxHTTP", "HTTPServer"],
            excluding: ["Golden"]),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "martlet", "simulator", "Platform", "EventLoop", "HTTPCore", "HTTPClient", "Crypto",
                "InboxModel", "InboxWire", "ClientCore", "InboxClient",
                "Postgres",
                "SimulatorKit", "FaultProxy", "TestSupport",
            ],
            exclude: ["python_client.py", "hold_to_document.py"], swiftSettings: common),
        tests(of: "HTTPServer", imports: ["Platform", "EventLoop", "HTTPCore", "TestSupport"]),
        tests(of: "HTTPClient", imports: ["Platform", "EventLoop", "HTTPCore", "HTTPServer", "ClientCore"]),
        tests(of: "ReferenceInbox", imports: ["Platform", "InboxModel"]),
        tests(
            of: "SimulatorKit",
            imports: [
                "Platform", "HTTPCore", "InboxModel", "InboxWire", "ReferenceInbox", "ClientCore",
                "InboxClient",
            ]),
        tests(
            of: "FaultProxy",
            imports: [
                "Platform", "EventLoop", "HTTPCore", "HTTPServer", "HTTPClient", "SimulatorKit",
                "TestSupport",
            ]),
        tests(of: "simulator", imports: ["Platform", "SimulatorKit", "HTTPCore"]),
    ]
)
