import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension CommandTests.Owners {
  /// Who may do what, after each way to take something away.
  struct AccessTests {
    /// A fleet with access control, and its `root`.
    private static func with(_ body: (Fleet, Party) async throws -> Void) async throws {
      var options = CommandTests.patient
      options.rootPassword = "r"
      let cluster = try await EtcdCluster.start(options: options)
      defer { cluster.stop() }
      try await Fleet.with(cluster) { try await body($0, Self.person("root", "r", in: $0)) }
    }

    private static func person(
      _ name: String, _ password: String, in fleet: Fleet, directory: String? = nil
    ) throws -> Party {
      let directory = directory ?? "\(name)-\(password)"
      let party = try fleet.person(directory, "user = \"\(name)\"\npassword = \"\(password)\"\n")
      chmod("\(fleet.root)/\(directory)/settings-fleet/settings.toml", 0o600)
      return party
    }

    /// The spans of a role's permissions, as texts.
    private static func spans(of role: String, in fleet: Fleet) async throws -> Set<String> {
      try await fleet.cluster.withClient { client in
        Set(try await client.permissions(of: role).map { String(decoding: $0.span.start, as: UTF8.self) })
      }
    }

    private static func machine(_ user: String, _ apps: [String], groups: [String] = []) -> [String] {
      ["access", "add-mirror", user, "--host", user, "--machine", user] + apps.flatMap { ["--app", $0] }
        + groups.flatMap { ["--group", $0] }
    }

    @Test func `a mirror that is added again may do nothing that it might do before`() async throws {
      try await Self.with { fleet, root in
        let (app, other) = (fleet.app, fleet.app + ".other")
        for words in [["set", other, "--create", "a=1"], ["set", app, "--group", "lab", "--create", "a=1"]] {
          #expect(try await root.run(words).status == 0)
        }
        #expect(try await root.run(Self.machine("web-1", [app, other], groups: ["lab"]), input: "w").status == 0)
        let wide = try await Self.spans(of: "app-settings-mirror-web-1", in: fleet)
        #expect(wide.contains { $0.contains(other) } && wide.contains { $0.contains("/group/lab") }, "\(wide)")
        #expect(try await root.run(Self.machine("web-1", [app]), input: "w").status == 0)
        let narrow = try await Self.spans(of: "app-settings-mirror-web-1", in: fleet)
        #expect(!narrow.contains { $0.contains(other) || $0.contains("/group/") } && !narrow.isEmpty, "\(narrow)")
        // Its keys are asked for by themselves: a command asks for more, and is refused in any case.
        var configuration = fleet.cluster.configuration
        configuration.credentials = EtcdCredentials(user: "web-1", password: "w")
        try await fleet.cluster.withClient(configuration) { client in
          for key in ["/app-settings/1/\(other)/all/v1", "/app-settings/1/\(app)/group/lab/v1"] {
            await #expect(throws: EtcdError.self) { _ = try await client.range(EtcdRange(.key(key))) }
          }
          _ = try await client.range(EtcdRange(.key("/app-settings/1/\(app)/all/v1")))
        }
      }
    }

    @Test func `nothing is left of a user that is removed`() async throws {
      try await Self.with { fleet, root in
        let app = fleet.app
        #expect(try await root.run(Self.machine("web-1", [app], groups: ["lab"]), input: "w").status == 0)
        #expect(try await root.run(["access", "add-writer", "ada", app], input: "a").status == 0)
        for user in ["web-1", "ada"] { #expect(try await root.run("access", "remove", user).status == 0) }
        for role in ["app-settings-mirror-web-1", "app-settings-hand-web-1", "app-settings-hand-ada"] {
          let error = await #expect(throws: EtcdError.self) {
            try await fleet.cluster.withClient { try await $0.permissions(of: role) }
          }
          #expect(error?.code == .notFound, "\(role)")
        }
        let unknown = try await root.run("access", "remove", "ada")
        #expect(unknown.status == 1 && unknown.error.contains("There is no user 'ada'"), "\(unknown)")
        #expect(try await root.run(["access", "add-writer", "ada", app + ".other"], input: "a").status == 0)
        #expect(
          try await root.run("access", "list").output.contains(
            "ada: app-settings-hand-ada, app-settings-writer-\(app).other\n"))
      }
    }

    @Test func `a user whose name is no name of a key's part proves changes, too`() async throws {
      try await Self.with { fleet, root in
        for name in ["Ada Lovelace", "ops/night", "-x"] {
          #expect(try await root.run(["access", "add-writer", "--", name, fleet.app], input: "a").status == 0)
          let person = try Self.person(name, "a", in: fleet, directory: "p\(name.count)")
          #expect(try await person.run("set", fleet.app, "--create", "a='\(name)'").status == 0)
          let log = try await person.run("log", fleet.app, "--limit", "1")
          #expect(log.output.contains(", etcd user \(name)\n"), "\(log)")
        }
        #expect(try await root.run(["access", "remove", "Ada Lovelace"]).status == 0)
      }
    }

    @Test func `a mirror of all machines becomes that of one, and the other way round`() async throws {
      try await Self.with { fleet, root in
        for (words, role) in [
          (["access", "add-mirror", "mx"], "app-settings-mirror"),
          (Self.machine("mx", [fleet.app]), "app-settings-mirror-mx"),
          (["access", "add-mirror", "mx"], "app-settings-mirror"),
        ] {
          let added = try await root.run(words, input: "m")
          #expect(added.status == 0, "\(added)")
          let list = try await root.run("access", "list")
          #expect(list.output.contains("mx: \(role)\n"), "\(list)")
        }
        // A writer reads all of its apps.
        #expect(try await root.run(["access", "add-writer", "ada", fleet.app], input: "a").status == 0)
        let refused = try await root.run(Self.machine("ada", [fleet.app]), input: "a")
        #expect(refused.status == 2 && refused.error.contains("app-settings-writer-\(fleet.app)"), "\(refused)")
        #expect(try await root.run("access", "list").output.contains("ada: app-settings-hand-ada, app-settings-writer"))
      }
    }

    @Test func `rights that a role has from elsewhere go when it is made again`() async throws {
      try await Self.with { fleet, root in
        let role = "app-settings-writer-\(fleet.app)"
        try await fleet.cluster.withClient { client in
          try await client.addRole(role)
          try await client.grantPermission(EtcdPermission(.readWrite, .prefix("/app-settings/1/")), to: role)
        }
        #expect(try await root.run(["access", "add-writer", "ada", fleet.app], input: "a").status == 0)
        let spans = try await Self.spans(of: role, in: fleet)
        #expect(spans.count == 4 && !spans.contains("/app-settings/1/"), "\(spans)")
      }
    }

    @Test func `a root that exists gets the password, and is neither added nor removed`() async throws {
      try await Self.with { fleet, root in
        let enabled = try await root.run(["access", "enable"], input: "new\n")
        #expect(enabled.status == 0, "\(enabled)")
        #expect(try await root.run("access", "list").status == 11)
        let now = try Self.person("root", "new", in: fleet)
        #expect(try await now.run("access", "list").output == "root: root\n")
        for words in [
          ["access", "remove", "root"], ["access", "add-mirror", "root"], ["access", "add-writer", "", fleet.app],
        ] {
          let refused = try await now.run(words, input: "x\n")
          #expect(refused.status == 2 && !refused.error.contains("etcdserver"), "\(words) \(refused)")
        }
      }
    }
  }
}
