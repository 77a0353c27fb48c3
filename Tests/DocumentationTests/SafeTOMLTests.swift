import Foundation
import Testing
import TestSupport

/// The programs of `docs/safe-toml.md`, which are in `Examples/ChangeTOML`.
struct SafeTOMLTests {
  /// A language of the page, and how one of its programs is run.
  enum Language: String, CaseIterable, Sendable {
    case sh, python, go, rust

    /// The tool that runs or compiles it; `nil` if it is not here.
    var tool: String? {
      let name = [.sh: "sh", .python: "python3", .go: "go", .rust: "rustc"][self]!
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      return path.split(separator: ":").map { "\($0)/\(name)" }.first(where: FileManager.default.isExecutableFile)
    }

    /// How the names of its files end.
    var suffix: String { [.sh: "sh", .python: "py", .go: "go", .rust: "rs"][self]! }

    /// Whether this project's tests need the tool anyway.
    var isRequired: Bool { self == .sh || self == .python }

    /// The words that run a program, which may have to be compiled first.
    func words(for program: String, in home: ScratchHome) throws -> [String] {
      guard let tool else { return [] }
      let file = home.path + "/program." + suffix
      try home.write(program, to: file)
      switch self {
      case .sh, .python: return [tool, file]
      case .go, .rust:
        // The tools keep what they need in the real home.
        let arguments = self == .go ? ["build", "-o"] : ["-o"]
        let result = try ChildProcess.run(
          tool, arguments + [home.path + "/program", file], environment: ProcessInfo.processInfo.environment)
        #expect(result.status == 0, "\(result.error)")
        return [home.path + "/program"]
      }
    }
  }

  private let home = ScratchHome()
  private var file: String { home.path + "/app.toml" }

  private var environment: [String: String] {
    var environment = home.environment
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    return environment
  }

  @Test func `the page shows the program for sh`() throws {
    let shown = try Document("docs/safe-toml.md").blocks("sh").map(\.lines)
    #expect(try shown.contains(Array(Repository.lines(of: "Examples/ChangeTOML/change.sh").dropLast())))
  }

  // Go and Rust programs are compiled where the compilers are.
  @Test(arguments: Language.allCases.filter { $0.isRequired || $0.tool != nil })
  func `a program of the page changes a file that is not its own, also beside others`(_ language: Language) throws {
    let lines = try Repository.lines(of: "Examples/ChangeTOML/change." + language.suffix)
    let words = try language.words(for: lines.joined(separator: "\n"), in: home)
    let before = "# Ask Ada before you change this.\nname = \"web\"\n\n[limits]\nopen-files = 1024   # per worker\n"
    try home.write(before, to: file)
    let runs = 5
    let results = Results()
    DispatchQueue.concurrentPerform(iterations: runs) { _ in
      results.add(
        try? ChildProcess.run(words[0], Array(words.dropFirst()) + [file], environment: environment))
    }
    #expect(results.all.count == runs && results.all.allSatisfy { $0.status == 0 }, "\(results.all)")
    let after =
      before.replacingOccurrences(of: "1024 ", with: "\(1024 << runs) ") + "raised-by = \"installer\"\n"
    #expect(home.text(of: file) == after)
    // What cannot be changed ends it.
    try home.write("open = = 1\n", to: file)
    let failure = try ChildProcess.run(
      words[0], Array(words.dropFirst()) + [file], environment: environment)
    #expect(failure.status != 0 && failure.error.contains("app.toml"), "\(failure)")
  }
}

/// Results of several threads.
private final class Results: @unchecked Sendable {  // all state is under `lock`
  private let lock = NSLock()
  private var results: [ChildProcess.Result] = []

  func add(_ result: ChildProcess.Result?) {
    lock.withLock { if let result { results.append(result) } }
  }

  var all: [ChildProcess.Result] { lock.withLock { results } }
}
