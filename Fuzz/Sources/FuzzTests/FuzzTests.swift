import Foundation
import TestModels
import Testing

/// The fuzzers without libFuzzer: their seeds, and as many damaged ones in the same order each time. `Fuzz/run` learns
/// from what it covers, and goes further.
@Suite(.timeLimit(.minutes(10))) struct FuzzTests {
  @Test(arguments: Fuzzer.allCases) func `a seed, and one with damage, shows no fault`(fuzzer: Fuzzer) async throws {
    // A fault ends the process, which shows the input first.
    await #expect(processExitsWith: .success) { [fuzzer] in
      let seeds = try Seeds.all(for: fuzzer)
      try #require(seeds.count > 5)
      var random = SeededRandom(1)
      for seed in seeds {
        // Each form of an import, of which there are fewer than 16. Where nothing is to choose, all would be the same.
        for choice in 0..<(fuzzer.choiceBytes > 0 ? 16 : 1) {
          Last.run(fuzzer, [UInt8](repeating: UInt8(choice), count: fuzzer.choiceBytes) + seed)
        }
      }
      for _ in 0..<2000 {
        var bytes = try #require(seeds.randomElement(using: &random))
        var choices = Choices(random.bytes(64)[...])
        for _ in 0...choices.next(3) { damage(&bytes, &choices) }
        Last.run(fuzzer, random.bytes(fuzzer.choiceBytes) + bytes.prefix(2048))
      }
    }
  }
}

/// Inputs to begin with, without the bytes that choose.
private enum Seeds {
  private static let folder = URL(filePath: #filePath).appending(path: "../../..").standardized
  private static let corpus = URL(
    filePath: "/usr/share/gocode/src/github.com/BurntSushi/toml/internal/toml-test/tests")

  static func all(for fuzzer: Fuzzer) throws -> [[UInt8]] {
    switch fuzzer {
    case .importing: return try files(in: folder.appending(path: "Seeds/import"))
    case .values:
      return try String(contentsOf: folder.appending(path: "Seeds/values"), encoding: .utf8)
        .split(separator: "\n").map { Array($0.utf8) }
    case .parse, .edit, .proof, .reread:
      return try files(in: folder.appending(path: "../Tests/SettingsTOMLTests/Fixtures"), ending: "toml")
        + files(in: corpus, ending: "toml")
    }
  }

  private static func files(in folder: URL, ending: String? = nil) throws -> [[UInt8]] {
    let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let files = (all?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
    return try files.filter { ending == nil || $0.pathExtension == ending }.sorted { $0.path < $1.path }
      .map { Array(try Data(contentsOf: $0)) }
  }
}

/// The input that is being run, shown when the process dies of it.
private enum Last {
  private nonisolated(unsafe) static var input: [UInt8] = []  // one thread runs inputs, and the handler is on it

  static func run(_ fuzzer: Fuzzer, _ input: [UInt8]) {
    if Self.input.isEmpty {
      for number in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
        signal(number) { number in
          Last.show()
          signal(number, SIG_DFL)
          raise(number)
        }
      }
    }
    Self.input = input
    fuzzer.run(input)
  }

  private static func show() {
    let text = "the input, in base 64: \(Data(input).base64EncodedString())\n"
    _ = text.withCString { write(2, $0, strlen($0)) }
  }
}

extension SeededRandom {
  fileprivate mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
  }
}
