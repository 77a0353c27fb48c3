import AppSettings
import EtcdClient
import EtcdTesting
import Foundation
import Testing

@testable import settings_fleet

extension CommandTests.Mirrors {
  struct OwnSettingsTests {
    /// For each setting, one of the machine and one that somebody with the cluster would like it to have.
    private static let values = [
      "endpoints": (own: #"["https://own:1"]"#, hostile: #"["https://evil:1"]"#),
      "plaintext": ("false", "true"),
      "timeout": (#""20s""#, #""100ms""#),
      "tls.authority": (#""/own""#, #""/evil""#),
      "tls.certificate": (#""/own""#, #""/evil""#),
      "tls.key": (#""/own""#, #""/evil""#),
      "user": (#""own""#, #""evil""#),
      "password": (#""own""#, #""evil""#),
      "password-file": (#""/own""#, #""/evil""#),
      "expected": (#"["own"]"#, "[]"),
      "signing-key": (#""/own""#, #""/evil""#),
      "trusted-keys": (#"["app-settings-fleet-public-key ed25519 \#(String(repeating: "A", count: 43))="]"#, "[]"),
      "sealing-keys": (#"["own"]"#, #"["evil"]"#),
      "unsealing-keys": (#"["/own"]"#, #"["/evil"]"#),
      "machine": (#""own""#, #""evil""#),
      "host": (#""own""#, #""evil""#),
      "groups": (#"["own"]"#, #"["evil"]"#),
      "apps": (#"["own"]"#, "[]"),
      "check": (#"["own"]"#, #"["/bin/sh", "-c", "evil"]"#),
    ]

    @Test func `no setting of the mirror or of a desk comes from the fleet's directory`() throws {
      #expect(Set(Self.values.keys) == Set(FleetSettings.keys.map { "\($0.path)" }))
      let root = FileManager.default.temporaryDirectory.path + "/settings-fleet-own-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: root) }
      let (own, fleet) = (root + "/etc/settings-fleet", root + "/fleet/settings-fleet")
      for directory in [own, fleet] {
        try FileManager.default.createDirectory(atPath: directory + "/settings.d", withIntermediateDirectories: true)
      }
      func text(_ value: ((own: String, hostile: String)) -> String) -> Data {
        Data(Self.values.map { "\($0.key) = \(value($0.value))\n" }.joined().utf8)
      }
      // The mode of a file with a password.
      let mode: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
      let files = FileManager.default
      _ = files.createFile(atPath: own + "/settings.toml", contents: text { $0.own }, attributes: mode)
      _ = files.createFile(atPath: fleet + "/settings.d/10-all.toml", contents: text { $0.hostile }, attributes: mode)
      let settings = try FleetSettings(environment: [
        "XDG_CONFIG_DIRS": root + "/etc", "XDG_CONFIG_HOME": root + "/none", "XDG_STATE_HOME": root + "/state",
        "HOME": root, "APP_SETTINGS_FLEET_DIR": root + "/fleet",
      ])
      for key in FleetSettings.keys {
        let origin = settings.store.origin(of: key)
        #expect("\(origin)".contains(own + "/settings.toml"), "\(key.path): \(origin)")
      }
    }

    @Test func `a setting that cannot be used is an error, and not its default`() throws {
      let root = FileManager.default.temporaryDirectory.path + "/settings-fleet-own-\(UUID().uuidString)"
      defer { try? FileManager.default.removeItem(atPath: root) }
      let own = root + "/etc/settings-fleet"
      try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
      let environment = [
        "XDG_CONFIG_DIRS": root + "/etc", "XDG_CONFIG_HOME": root + "/none", "XDG_STATE_HOME": root + "/state",
        "HOME": root,
      ]
      func reason(_ text: String) throws -> String {
        try text.write(toFile: own + "/settings.toml", atomically: true, encoding: .utf8)
        let failure = #expect(throws: Failure.self, "\(text)") { try FleetSettings(environment: environment) }
        return failure.map { "\($0)" } ?? ""
      }
      let wrong = [
        "plaintext": "\"yes\"", "timeout": "\"soon\"", "machine": "\"\"", "host": "\"a b\"", "groups": "\"lab\"",
        "apps": "\"org.a.app\"", "check": "\"true\"", "endpoints": "\"http://127.0.0.1:1\"", "expected": "\"a\"",
        "trusted-keys": "\"app-settings-fleet-public-key ed25519 x\"", "sealing-keys": "\"a\"",
        "unsealing-keys": "\"a\"",
      ]
      for key in FleetSettings.keys {
        let value = wrong["\(key.path)"] ?? "5"
        #expect(try reason("\(key.path) = \(value)\n").contains("'\(key.path)' in '\(own)"), "\(key.path)")
      }
      #expect(try reason("trusted-keys = [\"app-settings-fleet-public-key ed25519 x\", 5]\n").contains("[1]"))
      // Its form is checked before a value is printed whose signature it has to verify.
      #expect(try reason("trusted-keys = [\"junk\"]\n").contains("Cannot use 'junk' in 'trusted-keys'"))
      #expect(try reason("[broken\n").contains(own))
      try "timeout = \"5s\"\n".write(toFile: own + "/settings.toml", atomically: true, encoding: .utf8)
      _ = try FleetSettings(environment: environment)
    }

    @Test(arguments: ["password-file", "signing-key", "unsealing-keys"])
    func `a file of a setting that is missing is named with the setting`(setting: String) async throws {
      try await Fleet.with { fleet in
        let value = setting == "unsealing-keys" ? #"["/nonexistent"]"# : #""/nonexistent""#
        let settings = "\(setting) = \(value)\n" + (setting == "password-file" ? "user = \"ada\"\n" : "")
        let machine = try fleet.machine("m1", settings)
        let words = setting == "unsealing-keys" ? ["mirror", "--once"] : ["set", fleet.app, "a=1"]
        let answer = try await machine.party.run(words)
        let reason = "'/nonexistent': No such file or directory. The setting '\(setting)' of 'settings-fleet' names"
        #expect(answer.status == 7 && answer.error.contains(reason), "\(answer)")
      }
    }

    @Test func `an empty password file is named`() async throws {
      try await Fleet.with { fleet in
        let file = fleet.root + "/password"
        try fleet.write("\n", to: file)
        chmod(file, 0o600)
        let ada = try fleet.person("ada", "user = \"ada\"\npassword-file = \"\(file)\"\n")
        let answer = try await ada.run("set", fleet.app, "a=1")
        #expect(answer.status == 4 && answer.error.contains("'\(file)', the 'password-file'"), "\(answer)")
      }
    }

    @Test func `a secret that is no file gets no advice on its mode, and one of another user no chmod`() throws {
      let root = FileManager.default.temporaryDirectory.path + "/settings-fleet-own-\(UUID().uuidString)"
      let own = root + "/etc/settings-fleet"
      try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: root) }
      func reason(_ path: String) throws -> String {
        try "signing-key = \"\(path)\"\n".write(toFile: own + "/settings.toml", atomically: true, encoding: .utf8)
        let settings = try FleetSettings(environment: ["XDG_CONFIG_DIRS": root + "/etc", "HOME": root])
        let failure = #expect(throws: Failure.self) { try settings.signer() }
        return failure.map { "\($0)" } ?? ""
      }
      let (pipe, key) = (root + "/pipe", root + "/key")
      #expect(mkfifo(pipe, 0o644) == 0 && chmod(pipe, 0o644) == 0)
      for path in [pipe, root] { #expect(try reason(path).contains("'\(path)': it is not a regular file.")) }
      try "".write(toFile: key, atomically: true, encoding: .utf8)
      chmod(key, 0o644)
      #expect(try reason(key).hasSuffix("Run: chmod 600 '\(key)'"))
      #expect(try geteuid() == 0 || reason("/etc/passwd").hasSuffix("name a file that only you can read."))
    }

    @Test(arguments: ["http://127.0.0.1:99999", "http://127.0.0.1:2379/v3", "http://[::1", "127.0.0.1:2379"])
    func `an endpoint that cannot be one is an invalid value of its setting`(endpoint: String) async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try fleet.write(
          "endpoints = [\"\(endpoint)\"]\nplaintext = true\n", to: fleet.root + "/ada/settings-fleet/settings.toml")
        for words in [["get", fleet.app, "a"], ["mirror", "--once"]] {
          let answer = try await ada.run(words)
          #expect(answer.status == 4 && answer.error.contains("'\(endpoint)'"), "\(answer)")
          #expect(answer.error.contains("Set 'endpoints' of 'settings-fleet'."), "\(answer)")
        }
      }
    }

    @Test(arguments: ["certificate", "key"])
    func `a certificate without its key, and a key alone, are not left out`(setting: String) async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try fleet.write(
          "endpoints = [\"https://127.0.0.1:1\"]\ntls.\(setting) = \"/etc/hostname\"\n",
          to: fleet.root + "/ada/settings-fleet/settings.toml")
        let answer = try await ada.run("status")
        #expect(answer.status == 4 && answer.error.contains("'tls.\(setting)' of 'settings-fleet' is set"), "\(answer)")
      }
    }

    @Test func `a document of settings-fleet is neither stored nor mirrored`() async throws {
      try await Fleet.with { fleet in
        let ada = try fleet.person()
        try fleet.write(
          #"{"app": "settings-fleet"}"# + "\n" + #"{"set": "plaintext", "value": true}"#, to: fleet.root + "/b")
        let batch = try String(contentsOfFile: fleet.root + "/b", encoding: .utf8)
        for answer in [
          try await ada.run("set", "settings-fleet", "--create", "endpoints=[\"https://127.0.0.1:1\"]"),
          try await ada.run(["batch", "--create"], input: batch),
          try await ada.run("rollout", "--share", "100", "settings-fleet", "set", "--create", "plaintext=true"),
          try await ada.run("undo", "settings-fleet"),
          try await ada.run("access", "add-writer", "eve", "settings-fleet"),
        ] {
          #expect([2, 5].contains(answer.status) && answer.error.contains("'settings-fleet'"), "\(answer)")
        }
        // Somebody who has the password only, or an older release.
        let key = "/app-settings/1/settings-fleet/all/v1"
        try await fleet.cluster.withClient { client in
          _ = try await client.put(key, "check = [\"/bin/sh\", \"-c\", \"touch \(fleet.root)/evil\"]\n")
        }
        let machine = try fleet.machine("m1")
        let file = fleet.root + "/m1/etc/settings-fleet/settings.toml"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        try fleet.write(
          text.replacingOccurrences(of: "apps = [", with: "apps = [\"settings-fleet\", "), to: file)
        // What an older release has mirrored.
        let mirrored = fleet.root + "/m1/fleet/settings-fleet/settings.d"
        try FileManager.default.createDirectory(atPath: mirrored, withIntermediateDirectories: true)
        try fleet.write("groups = [\"evil\"]\n", to: mirrored + "/10-all.toml")
        try machine.start()
        try await ada.run("set", fleet.app, "a=1")
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        let isRemoved = try await eventually { !FileManager.default.fileExists(atPath: mirrored + "/10-all.toml") }
        #expect(isRemoved, "\(machine.said)")
        try await fleet.cluster.withClient { _ = try await $0.delete(.key(key)) }
      }
    }
  }
}
