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
    return [
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
