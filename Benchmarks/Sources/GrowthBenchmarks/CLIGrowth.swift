import AppSettings
import BenchmarkHarness
import Foundation

/// The verbs of `settings-cli` that take a whole file.
enum CLIGrowth {
  static func operations(_ program: String, _ scratch: Scratch) -> [Operation] {
    /// A verb on a file of tables; the words come behind the target.
    func verb(
      _ verb: String, _ words: [String] = [], name: String? = nil, other: ((Int) -> String)? = nil,
      isEmpty: Bool = false
    ) -> Operation {
      Operation(name: name ?? ([verb] + words).joined(separator: " "), count: 12_500) { count in
        let environment = try scratch.environment()
        let file = environment["HOME"]! + "/settings.toml"
        try scratch.write(isEmpty ? "" : tables(count), to: file)
        var words = [program, verb, file] + words
        if let other {
          let second = environment["HOME"]! + "/other.toml"
          try scratch.write(other(count), to: second)
          words.append(second)
        }
        let child = Child(words, environment.map { "\($0)=\($1)" } + ["PATH=/usr/bin:/bin"])
        return { child.run(mayFail: verb == "diff") }
      }
    }
    /// A verb on an app with a schema.
    func schemaVerb(
      _ name: String, _ verb: String, count: Int, schema: @escaping (Int) -> String,
      settings: @escaping (Int) -> String, edited: ((Int) -> String)? = nil
    ) -> Operation {
      Operation(name: name, count: count) { count in
        var environment = try scratch.environment()
        let home = environment["HOME"]!
        try scratch.write("app = \"bench\"\n\(schema(count))", to: home + "/data/app-settings/bench.toml")
        try scratch.write(settings(count), to: SettingsLocation(app: "bench", environment: environment).file)
        if let edited {
          try scratch.write(edited(count), to: home + "/edited.toml")
          environment["EDITOR"] = "cp '\(home)/edited.toml'"
        }
        let child = Child([program, verb, "bench"], environment.map { "\($0)=\($1)" } + ["PATH=/usr/bin:/bin"])
        return { child.run() }
      }
    }
    func names(_ count: Int, _ text: (Int) -> String) -> String { (0..<count).map(text).joined() }
    return [
      schemaVerb(
        "check of a set of as many choices", "check", count: 5_000,
        schema: { count in
          let choices = names(count) { "\"choice-\($0)\", " }
          let element = "{ type = \"string\", choices = [\(choices)] }"
          return "[keys.set]\ntype = \"array\"\nunique = true\nelements = \(element)\n"
        }, settings: { count in "set = [\(names(count) { "\"choice-\($0)\", " })]\n" }),
      schemaVerb(
        "edit of as many unknown keys as known ones", "edit", count: 5_000,
        schema: { count in names(count) { "[keys.configuration-\($0)]\ntype = \"integer\"\n" } },
        settings: { _ in "a = 1\n" }, edited: { count in names(count) { "configurator-\($0) = 1\n" } }),
      verb("list"), verb("list", ["--origin"]), verb("describe"), verb("check"), verb("export"),
      verb("export", ["--json"]),
      verb("export", ["--env"]), verb("get", ["tables"]),
      verb("diff", name: "diff of unlike files") { tables($0, seed: 1) },
      verb("diff", name: "diff of reversed lines") {
        tables($0).split(separator: "\n", omittingEmptySubsequences: false).reversed().map { "# \($0)" }
          .joined(separator: "\n")
      },
      verb("import", name: "import", other: { tables($0) }, isEmpty: true),
      verb("import", name: "import over other values") { tables($0, seed: 1) },
      verb("unset", ["tables"]),
    ]
  }
}
