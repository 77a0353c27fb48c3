import EtcdTesting
import Foundation
import Testing

extension CommandTests.Owners {
  /// The commands of docs/fleet-from-git.md, as they are printed, with a repository whose hooks are the CI server.
  @Suite(.enabled(if: Tool.path(of: "git") != nil, "the guide needs git"))
  struct GitGuideTests {
    @Test func `a change goes from a branch to all machines`() async throws {
      let cluster = try await EtcdCluster.start(members: 3, options: CommandTests.patient)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { fleet in
        let ada = try fleet.person()
        let machines = try ["m1", "m2", "m3"].map { try fleet.machine($0) }
        for machine in ["m1", "m2", "m3"] { try fleet.allowEveryApp(on: machine) }
        for machine in machines { try machine.start() }
        for app in ["editor", "viewer"] {
          #expect(try await ada.run("set", "org.example.\(app)", "font-size=12").status == 0)
        }
        let answer = try Self.run(try Self.guide(in: fleet.root + "/git"), by: ada)
        #expect(answer.status == 0, "\(answer)")
        for part in [
          "plan of larger-font:", "~ org.example.editor/all", "    font-size: 12 -> 14",
          "stored 1 document at revision",
          "3 applied", "Changed by hand, and different in the directory", "exit status 9",
          "- org.example.viewer/all", "1 to remove",
        ] {
          let said = answer.text.replacingOccurrences(of: "remote: ", with: "")
            .split(separator: "\n").map { $0.trimmingCharacters(in: .init(charactersIn: " \u{1B}[K\r")) }
          let lines = part.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
          #expect(lines.allSatisfy { line in said.contains { $0.contains(line) } }, "\(part) is not in: \(answer.text)")
        }
        // What was set by hand stayed.
        let text = "# For the new screens.\nfont-size = 16\n"
        for machine in machines {
          let editor = machine.directory.replacingOccurrences(of: fleet.app, with: "org.example.editor")
          let viewer = machine.directory.replacingOccurrences(of: fleet.app, with: "org.example.viewer")
          #expect(
            try await eventually {
              (try? String(contentsOfFile: editor + "/10-all.toml", encoding: .utf8)) == text
                && !FileManager.default.fileExists(atPath: viewer + "/10-all.toml")
            }, "\(machine.said)")
        }
      }
    }

    @Test func `the workflow begins, and runs the job with settings that nobody else can read`() throws {
      let parts = try #require(try Self.document().components(separatedBy: "```yaml\n").dropFirst().first)
        .components(separatedBy: "\n```")[0].components(separatedBy: "        run: |\n")
      // GitHub refuses a workflow that asks about the runner before there is one.
      #expect(parts.count == 2 && !parts[0].contains("runner."))
      let script = parts[1].replacing(/\${{.*}}/, with: "plan")
      let directory = FileManager.default.temporaryDirectory.path + "/workflow-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let job = "#!/bin/sh\ncd \"$XDG_CONFIG_HOME/settings-fleet\" && cp settings.toml \"$OLDPWD/$1\"\n"
      #expect(FileManager.default.createFile(atPath: directory + "/job", contents: Data(job.utf8)))
      chmod(directory + "/job", 0o755)
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = ["-ec", script]
      process.currentDirectoryURL = URL(fileURLWithPath: directory)
      process.environment = ["PATH": "/usr/bin:/bin", "RUNNER_TEMP": directory + "/temp", "SETTINGS": "user = \"ci\""]
      try process.run()
      process.waitUntilExit()
      #expect(try String(contentsOfFile: directory + "/plan", encoding: .utf8) == "user = \"ci\"")
      let file = directory + "/temp/config/settings-fleet/settings.toml"
      #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
    }

    /// What the guide says that a plan looks like.
    private static func documentedPlan() throws -> String {
      let plan = try document().components(separatedBy: "```\nplan of ").dropFirst().first
      return "plan of " + (try #require(plan).components(separatedBy: "\n```")[0])
    }

    private static func document() throws -> String {
      let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
      return try String(contentsOf: root.appendingPathComponent("docs/fleet-from-git.md"), encoding: .utf8)
    }

    private static func guide(in directory: String) throws -> String {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      let blocks = try document().components(separatedBy: "```sh\n").dropFirst().map {
        $0.components(separatedBy: "\n```")[0]
      }
      #expect(blocks.count == 8)
      let programs = [Fleet.program, Fleet.cli ?? ""].map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
      return """
        set -e
        export PATH='\(programs.joined(separator: ":"))':"$PATH" GIT_CONFIG_GLOBAL=/dev/null TMPDIR='\(directory)'
        export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=a@b.org GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=a@b.org
        \(blocks.joined(separator: "\n").replacingOccurrences(of: "/tmp/fleet-git", with: directory))

        """
    }

    private static func run(_ script: String, by party: Party) throws -> (status: Int32, text: String) {
      let file = "\(party.fleet.root)/script"
      try party.fleet.write(script, to: file)
      let process = party.process([file])
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      let output = Pipe()
      (process.standardOutput, process.standardError) = (output, output)
      process.standardInput = FileHandle.nullDevice
      try process.run()
      let data = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
  }
}
