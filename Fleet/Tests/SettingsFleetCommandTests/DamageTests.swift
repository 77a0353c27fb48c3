import EtcdTesting
import Foundation
import Testing

@testable import settings_fleet

extension CommandTests.Mirrors {
  /// Something else than a file where the mirror has one.
  struct DamageTests {
    @Test func `a pipe in the place of a mirrored file is replaced, and holds nothing up`() async throws {
      try await Fleet.with { fleet in
        let (ada, other) = (try fleet.person(), fleet.app + ".other")
        let machine = try fleet.machine("m1")
        try fleet.allow(apps: [fleet.app, other], on: "m1")
        try machine.start()
        for app in [fleet.app, other] { try await ada.run("set", app, "--create", "a=1") }
        #expect(try await machine.wait(for: "a = 1\n"))
        let (file, pipe) = (machine.directory + "/10-all.toml", fleet.root + "/pipe")
        for number in 2...3 {
          // In one step: the mirror would write a missing file again before.
          #expect(mkfifo(pipe, 0o644) == 0 && rename(pipe, file) == 0)
          #expect(try await Self.isFile(file), "\(machine.said)")
          try await ada.run("set", fleet.app, "a=\(number)")
          #expect(try await machine.wait(for: "a = \(number)\n"), "\(machine.said)")
        }
        machine.stop()
        // At the next start, too.
        #expect(mkfifo(pipe, 0o644) == 0 && rename(pipe, file) == 0)
        try machine.start()
        #expect(try await Self.isFile(file), "\(machine.said)")
        #expect(try await machine.wait(for: "a = 3\n"), "\(machine.said)")
        machine.stop()
      }
    }

    private static func isFile(_ path: String) async throws -> Bool {
      try await eventually {
        let facts = try? FileManager.default.attributesOfItem(atPath: path)
        return facts?[.type] as? FileAttributeType == .typeRegular
      }
    }

    @Test func `a link in the place of a mirrored file is replaced, and nothing is written through it`() async throws {
      try await Fleet.withMachine { fleet, ada, machine in
        try await ada.run("set", fleet.app, "--create", "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        let (file, target, link) = (machine.directory + "/10-all.toml", fleet.root + "/target", fleet.root + "/link")
        // Also one to the same text: that is not the mirror's.
        for (number, text) in [(2, "mine\n"), (3, "a = 2\n")] {
          try fleet.write(text, to: target)
          #expect(symlink(target, link) == 0 && rename(link, file) == 0)
          #expect(try await Self.isFile(file), "\(machine.said)")
          try await ada.run("set", fleet.app, "a=\(number)")
          #expect(try await machine.wait(for: "a = \(number)\n"), "\(machine.said)")
          #expect(try String(contentsOfFile: target, encoding: .utf8) == text)
        }
        #expect(machine.said.contains("wrote again \(fleet.app)/all, revision "), "\(machine.said)")
      }
    }

    @Test func `a link in the place of a file whose document is gone is removed, and its target stays`() async throws {
      try await Fleet.withMachine(groups: ["web"]) { fleet, ada, machine in
        try await ada.run("set", fleet.app, "--create", "a=1")
        #expect(try await machine.wait(for: "a = 1\n"))
        let (target, link) = (fleet.root + "/target", fleet.root + "/link")
        try fleet.write("a = 9\n", to: target)
        func isThere(_ path: String) -> Bool { (try? FileManager.default.attributesOfItem(atPath: path)) != nil }
        // To a text, and to nothing; while the mirror runs, and before it starts.
        for (isRunning, to) in [(true, target), (true, "/nonexistent"), (false, target), (false, "/nonexistent")] {
          for name in ["20-group-web", "20-group-other", "30-host"] {
            if !isRunning { machine.stop() }
            let file = "\(machine.directory)/\(name).toml"
            #expect(symlink(to, link) == 0 && rename(link, file) == 0)
            if !isRunning { try machine.start() }
            #expect(try await eventually { !isThere(file) }, "\(name) \(machine.said)")
          }
        }
        #expect(try String(contentsOfFile: target, encoding: .utf8) == "a = 9\n")
        #expect(machine.text() == "a = 1\n")
      }
    }

    /// Without root's right to read and write everything, which the service does not have.
    private static let unprivileged = #"exec setpriv --inh-caps=-all --bounding-set=-all "$0" "$@""#

    @Test func `what the mirror may not read or write is written again, or the trouble of its document alone`()
      async throws
    {
      try await Fleet.with { fleet in
        let (ada, other) = (try fleet.person(), fleet.app + ".other")
        let machine = try fleet.machine("m1")
        try fleet.allow(apps: [fleet.app, other], on: "m1")
        let file = machine.directory + "/10-all.toml"
        let others = machine.directory.replacingOccurrences(of: fleet.app + "/", with: other + "/") + "/10-all.toml"
        func change(to number: Int) async throws {
          for app in [fleet.app, other] { try await ada.run("set", app, "--create", "a=\(number)") }
          try machine.start(after: Self.unprivileged)
          let isThere = try await eventually {
            (try? String(contentsOfFile: others, encoding: .utf8)) == "a = \(number)\n"
          }
          #expect(isThere, "\(machine.said)")
        }
        try await change(to: 1)
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
        for (number, mode) in [(2, 0o000), (3, 0o444)] {
          machine.stop()
          #expect(chmod(file, mode_t(mode)) == 0)
          try await change(to: number)
          #expect(try await machine.wait(for: "a = \(number)\n"), "\(machine.said)")
        }
        machine.stop()
        #expect(chmod(machine.directory, 0) == 0)
        defer { chmod(machine.directory, 0o755) }
        try await change(to: 4)
        let said = try await eventually {
          try await ada.run("status", fleet.app).output.contains("m1 pending: all: Cannot ")
        }
        #expect(chmod(machine.directory, 0o755) == 0)
        #expect(said, "\(machine.said)")
        #expect(try await machine.wait(for: "a = 4\n"), "\(machine.said)")
        machine.stop()
      }
    }

    @Test func `a directory in the place of a mirrored file is its document's trouble alone`() async throws {
      try await Fleet.with { fleet in
        let (ada, other) = (try fleet.person(), fleet.app + ".other")
        let machine = try fleet.machine("m1")
        try fleet.allow(apps: [fleet.app, other], on: "m1")
        let file = machine.directory + "/10-all.toml"
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        for app in [fleet.app, other] { try await ada.run("set", app, "--create", "a=1") }
        try machine.start()
        let others = machine.directory.replacingOccurrences(of: fleet.app + "/", with: other + "/") + "/10-all.toml"
        #expect(try await eventually { (try? String(contentsOfFile: others, encoding: .utf8)) == "a = 1\n" })
        #expect(try await eventually { try await ada.run("status", fleet.app).output.contains("10-all.toml") })
        #expect(try await ada.run("status", other, "--wait", "60s").status == 0)
        try FileManager.default.removeItem(atPath: file)
        #expect(try await machine.wait(for: "a = 1\n"), "\(machine.said)")
      }
    }

    @Test func `a lock that cannot be opened is not said to be another mirror's`() async throws {
      try await Fleet.with { fleet in
        let machine = try fleet.machine("m1")
        let places = try MirrorPlaces(environment: machine.party.environment)
        try FileManager.default.createDirectory(atPath: places.lock, withIntermediateDirectories: true)
        let stuck = try await machine.party.run("mirror", "--once")
        #expect(stuck.status == 7 && stuck.error.contains("Cannot open '\(places.lock)': Is a directory."), "\(stuck)")
      }
    }

    @Test func `what a mirror reads is never waited for`() throws {
      let root = FileManager.default.temporaryDirectory.path + "/settings-fleet-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: root) }
      let pipe = root + "/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      let refused = #expect(throws: File.Failed.self) { try File.read(pipe) }
      #expect(refused?.description == "Cannot read '\(pipe)': it is not a regular file.")
      #expect(throws: File.Failed.self) { try File.readIfThere(pipe) }
      #expect(throws: File.Failed.self) { try File.read(root) }
      #expect(throws: File.Failed.self) { try File.read("/dev/zero") }
      #expect(try File.readIfFile(pipe) == nil && File.readIfFile(root) == nil)
      // Nor what it writes.
      #expect(throws: File.Failed.self) { try File.put([1], at: pipe) }
      for write in [{ try File.replace($0, with: [1]) }, { try File.swap($0, with: [1], mode: 0o600) }] {
        #expect(mkfifo(root + "/file.new", 0o600) == 0)
        try write(root + "/file")
        #expect(try File.read(root + "/file") == [1])
      }
      try File.removeIfSpecial(root + "/file")
      try File.removeIfSpecial(pipe)
      #expect(try File.names(in: root) == ["file"])
    }
  }
}
