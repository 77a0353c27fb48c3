import Foundation
import Testing
import TestSupport

/// What the everyday verbs cost, counted: instructions, by valgrind, and system calls, by strace. A count is the same on a
/// fast machine and on a slow one.
///
/// The figures are in `Fixtures/costs.txt`. A change that costs more than 5 % more has to say so: with
/// `RECORD_SNAPSHOTS=1` in the environment they are written again. They are those of what `Scripts/build` makes with one
/// release of the compiler; with another they are not compared.
struct CostTests {
  /// Each with what it needs to be possible, run before; at two sizes.
  private static let verbs: [(name: String, words: [String], before: [[String]])] = [
    ("get", ["get", "FILE", "key-00050"], []),
    ("get, by app", ["get", "APP", "new.key-00050"], []),
    ("set", ["set", "FILE", "key-00050", "7"], [["set", "FILE", "key-00051", "7"]]),
    ("set, by app", ["set", "APP", "new.key-00050", "7"], [["set", "APP", "new.key-00051", "7"]]),
    ("unset", ["unset", "FILE", "key-00050"], [["set", "FILE", "key-00051", "7"]]),
    ("import", ["import", "FILE", "import.json"], [["set", "FILE", "key-00051", "7"]]),
    ("migrate", ["migrate", "APP"], []),
    ("watch, one change", ["watch", "FILE", "key-00050", "--count", "2", "--timeout", "100"], []),
  ]

  private static let sizes = [100, 500]

  private static var compiler: String {
    #if !DEBUG && compiler(>=6.3) && compiler(<6.4)
      "6.3"
    #else
      "another"
    #endif
  }

  /// What depends on how threads meet, and on what else the machine does: of threads and memory, and the ends of waits.
  private static let uncounted = [
    "+++", "--- SIG", "futex(", "sched_", "madvise(", "mmap(", "munmap(", "mprotect(", "brk(", "resumed>", "rt_sig",
    "restart_syscall(", "set_robust_list(", "rseq(", "clone3(",
  ]

  /// The figures are those of one machine; another one's system libraries may take other ways.
  private static let tolerance = ProcessInfo.processInfo.environment["CI"] == nil ? 1.05 : 1.25

  /// A figure of a verb at a size, in thousands of instructions, and system calls.
  private struct Cost: Equatable {
    var name: String
    var instructions: Int
    var calls: Int

    var line: String { "\(name): \(instructions) k, \(calls) calls" }
  }

  /// Not where `TMPDIR` says: each folder on the way to it is a system call or two.
  private let home = ScratchHome(under: "/tmp")
  private let app = "org.example.test"

  private static func has(_ command: String) -> Bool {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
      access("\($0)/\(command)", X_OK) == 0
    }
  }

  private var environment: [String: String] {
    home.environment.merging(["SWIFT_DETERMINISTIC_HASHING": "1"]) { $1 }
  }

  private func prepare(_ size: Int, _ isOld: Bool) throws {
    for directory in ["config", "state", "data"] {
      try? FileManager.default.removeItem(atPath: "\(home.path)/\(directory)")
    }
    let names = (0..<size).map { String(format: "key-%05d", $0) }
    let text = names.map { "\($0) = 5\n" }.joined()
    try home.write(text, to: home.path + "/file.toml")
    try home.write((isOld ? "[old]\n" : "settings-version = 2\n[new]\n") + text)
    try home.write(
      "app = \"\(app)\"\n" + names.map { "[keys.\"new.\($0)\"]\ntype = \"integer\"\n" }.joined()
        + "[[migrations]]\nversion = 2\nname = \"a new table\"\nsteps = [{ rename = \"old\", to = \"new\" }]\n",
      to: home.path + "/data/app-settings/\(app).toml")
    try home.write(
      "{" + names.map { "\"new-\($0)\": 5" }.joined(separator: ",") + "}", to: home.path + "/import.json")
  }

  private func arguments(_ words: [String]) -> [String] {
    words.map { $0 == "FILE" ? "./file.toml" : $0 == "APP" ? app : $0 }
  }

  /// Runs a command in a tool to its end.
  private func run(_ tool: [String], _ command: String, _ words: [String]) throws -> String {
    let command = try RunningProcess(
      "/usr/bin/env", tool + [command] + arguments(words), environment: environment, directory: home.path)
    if words[0] == "watch" {
      #expect(command.nextLine() == "5")
      // Stopped during the write: it would see it half done, and more often on a busy machine.
      command.signal(SIGSTOP)
      defer { command.signal(SIGCONT) }
      try ChildProcess.run(
        ChildProcess.product("settings-cli"), arguments(["set", "FILE", "key-00050", "7"]), environment: environment,
        directory: home.path)
    }
    #expect(command.wait() == 0, "\(words)")
    return try String(contentsOfFile: home.path + "/counts", encoding: .utf8)
  }

  private static let counting = [
    "valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--log-file=counts",
  ]

  /// What valgrind has counted, in thousands.
  private func instructions() throws -> Int {
    // Such as '==12== I refs: 22,936,590'.
    let lines = try String(contentsOfFile: home.path + "/counts", encoding: .utf8).split(separator: "\n")
    let executed = try #require(lines.last { $0.contains(" refs: ") })
    return Int(executed.split(separator: " ").last!.filter(\.isNumber))! / 1000
  }

  private func cost(
    of verb: (name: String, words: [String], before: [[String]]), at size: Int, _ command: String
  ) throws -> Cost {
    var counts: [Int] = []
    for tool in [Self.counting, ["strace", "-f", "-qq", "-o", "counts"]] {
      try prepare(size, verb.name == "migrate")
      for words in verb.before {
        try ChildProcess.run(
          ChildProcess.product("settings-cli"), arguments(words), environment: environment, directory: home.path)
      }
      let text = try run(tool, command, verb.words)
      if tool[0] == "strace" {
        // What the linker, and the libraries as they are loaded, do before 'main' is not ours: this is the last of it.
        let lines = text.split(separator: "\n").filter { line in
          !Self.uncounted.contains { line.contains($0) }
        }
        counts.append(lines.count - (lines.lastIndex { $0.contains("/sys/devices/system/cpu/possible") } ?? 0))
      } else {
        counts.append(try instructions())
      }
    }
    return Cost(name: "\(verb.name), \(size) keys", instructions: counts[0], calls: counts[1])
  }

  /// What is given to a verb in some number.
  enum Many: String, CaseIterable {
    case invalidRecords, partsOfOneEntry, keysWithoutHistory, keysChangedOutside
    case keysSet, tablesEmptied, unknownKeysEdited, commentedSecrets, profilesChecked

    func schema(_ size: Int) -> String {
      switch self {
      case .invalidRecords: "[keys.servers]\ntype = \"records\"\nfields = { port = { type = \"integer\" } }\n"
      case .partsOfOneEntry:
        "[keys.groups]\ntype = \"table\"\nids = \"integer\"\n"
          + "elements = { type = \"table\", elements = { type = \"integer\" } }\n"
      case .keysWithoutHistory, .keysSet, .tablesEmptied, .profilesChecked: ""
      case .unknownKeysEdited: "[keys.known]\ntype = \"integer\"\n"
      case .commentedSecrets: (0..<size).map { "[keys.secret\($0)]\ntype = \"string\"\nsecret = true\n" }.joined()
      case .keysChangedOutside: "[keys.counts]\ntype = \"table\"\nelements = { type = \"integer\" }\n"
      }
    }

    func text(_ size: Int) -> String {
      switch self {
      case .invalidRecords: (0..<size).map { "[servers.name-\($0)]\nport = \"x\"\n" }.joined()
      case .partsOfOneEntry: "[groups.1]\n" + (0..<size).map { "k\($0) = 0\n" }.joined()
      case .keysWithoutHistory, .keysSet, .profilesChecked: (0..<size).map { "k\($0) = 0\n" }.joined()
      case .keysChangedOutside: "[counts]\n" + (0..<size).map { "k\($0) = 0\n" }.joined()
      case .tablesEmptied: (0..<size).map { "[tables.of.t\($0)]\nk = 0\n" }.joined()
      case .unknownKeysEdited: "known = 1\n"
      case .commentedSecrets:
        // Each of them is compared with all names, in one of two ways.
        (0..<size).map { "# \($0 % 2 == 0 ? "comment" : "password:") \($0)\nsecret\($0) = \"x\"\n" }.joined()
      }
    }

    func input(_ size: Int) -> String {
      guard self == .partsOfOneEntry else { return "" }
      return (0..<size).map { "{\"set\": \"groups.1.k\($0)\", \"value\": 1}\n" }.joined()
    }

    var verb: String {
      switch self {
      case .invalidRecords: "list"
      case .partsOfOneEntry: "batch"
      case .keysWithoutHistory, .keysChangedOutside: "blame"
      case .keysSet, .commentedSecrets: "set"
      case .tablesEmptied: "unset"
      case .unknownKeysEdited: "edit"
      case .profilesChecked: "check"
      }
    }

    /// What is typed behind the app.
    func words(_ size: Int) -> [String] {
      switch self {
      case .keysSet: (0..<size).map { "k\($0)=1" }
      case .tablesEmptied: (0..<size).map { "tables.of.t\($0).k" }
      case .commentedSecrets: ["secret0=y"]
      default: []
      }
    }

    /// Other files of the app, by their paths in the home.
    func files(_ size: Int, _ app: String) -> [String: String] {
      guard self == .profilesChecked else { return [:] }
      var files = ["etc/xdg/\(app)/settings.toml": text(size)]
      for index in 0..<size { files["config/\(app)/profiles/p\(index).toml"] = "k0 = 1\n" }
      return files
    }

    /// Where each of them has a line; `nil` if the verb is silent.
    func lines(_ result: ChildProcess.Result) -> String? {
      switch self {
      case .keysSet, .tablesEmptied, .commentedSecrets, .profilesChecked: nil
      case .invalidRecords, .unknownKeysEdited: result.error
      case .partsOfOneEntry, .keysWithoutHistory, .keysChangedOutside: result.output
      }
    }
  }

  @Test(.enabled(if: has("valgrind") && has("strip"), "valgrind counts what a verb costs"), arguments: Many.allCases)
  func `a verb costs no more than in proportion to what it is given`(_ many: Many) throws {
    let command = home.path + "/settings-cli"
    try ChildProcess.run(
      "/usr/bin/env", ["strip", "-o", command, ChildProcess.product("settings-cli")], environment: home.environment)
    let counts = try [100, 200, 400].map { size in
      try home.write("app = \"\(app)\"\n" + many.schema(size), to: home.path + "/data/app-settings/\(app).toml")
      try home.write(many.text(size))
      for (name, text) in many.files(size, app) { try home.write(text, to: "\(home.path)/\(name)") }
      // What blame looks at is a history of this text alone.
      try? FileManager.default.removeItem(atPath: "\(home.path)/state")
      try ChildProcess.run(command, ["set", app, "--create", "one=\(size)"], environment: environment)
      if many == .keysChangedOutside { try home.write(many.text(size).replacing("= 0", with: "= 1")) }
      try home.write((0..<size).map { "unknown-\($0) = 0\n" }.joined(), to: home.path + "/edited.toml")
      let result = try ChildProcess.run(
        "/usr/bin/env", Self.counting + [command, many.verb, app] + many.words(size),
        environment: environment.merging(["EDITOR": "cp '\(home.path)/edited.toml'"]) { $1 },
        input: many.input(size), directory: home.path)
      #expect(result.status == 0, "\(result)")
      if let lines = many.lines(result) { #expect(lines.split(separator: "\n").count >= size, "\(result)") }
      return try instructions()
    }
    // Twice as much for twice as many; of the square, it would be four times.
    #expect(Double(counts[2] - counts[1]) < 2.6 * Double(counts[1] - counts[0]), "\(counts)")
  }

  @Test(
    .enabled(
      if: has("valgrind") && has("strace") && has("strip"), "valgrind, strace and strip count what a verb costs"),
    .enabled(if: compiler != "another", "the figures are those of another release of the compiler"))
  func `a verb costs what it did`() throws {
    // Valgrind cannot read this compiler's debug information.
    let command = home.path + "/settings-cli"
    try ChildProcess.run(
      "/usr/bin/env", ["strip", "-o", command, ChildProcess.product("settings-cli")], environment: home.environment)
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures/costs.txt")
    let cases = Self.sizes.flatMap { size in Self.verbs.map { (verb: $0, size: size) } }
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      let lines = try cases.map { try cost(of: $0.verb, at: $0.size, command).line + "\n" }
      try Data(lines.joined().utf8).write(to: file)
    }
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    #expect(lines.count == cases.count)
    for (line, (verb, size)) in zip(lines, cases) {
      let numbers = line.split(separator: ":")[1].split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
      func isDearer(_ cost: Cost) -> Bool {
        Double(cost.instructions) > Self.tolerance * Double(numbers[0])
          || Double(cost.calls) > Self.tolerance * Double(numbers[1]) + 3
      }
      var counted = try cost(of: verb, at: size, command)
      // A watch that a busy machine has held up where it begins looks twice.
      for _ in 0..<3 where isDearer(counted) { counted = try cost(of: verb, at: size, command) }
      #expect(line.hasPrefix(counted.name + ":") && !isDearer(counted), "\(counted.line); it was \(line)")
    }
  }
}
