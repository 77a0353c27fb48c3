import Foundation

/// The Markdown documents of the repository.
struct Document {
  /// A fenced block.
  struct Block {
    /// The word after the fence: `swift`, `console`.
    let language: String
    let lines: [String]
    /// The number of the block's first line in the document.
    let line: Int
  }

  /// The path in the repository.
  let path: String
  let lines: [String]

  init(_ path: String) throws {
    self.path = path
    lines = try Repository.lines(of: path)
  }

  /// The documents at the root, the guides in `docs`, the reports of measurements, the examples' own, and the pages of the
  /// reference.
  static let all: [Document] = {
    let paths =
      ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "CHANGELOG.md", "Faults/fleet.md"]
      + ["Benchmarks", "Faults", "Fleet", "Page"].map { $0 + "/README.md" }
      + Repository.files(in: "docs", ending: ".md")
      + Repository.files(in: "Examples", ending: ".md") + Repository.files(in: "Sources", ending: ".md")
    return paths.compactMap { try? Document($0) }
  }()

  /// The texts of the headings, as they are written.
  var headings: [String] {
    var isFenced = false
    return lines.compactMap { line in
      if line.hasPrefix("```") { isFenced.toggle() }
      guard !isFenced, let match = line.wholeMatch(of: /#{1,6} (.*)/) else { return nil }
      return String(match.1)
    }
  }

  /// The fenced blocks of a language.
  func blocks(_ language: String) -> [Block] {
    var blocks: [Block] = []
    var open: (language: String, start: Int)?
    for (index, line) in lines.enumerated() where line.hasPrefix("```") {
      if let (language, start) = open {
        blocks.append(Block(language: language, lines: Array(lines[start..<index]), line: start + 1))
        open = nil
      } else {
        open = (String(line.dropFirst(3)), index + 1)
      }
    }
    return blocks.filter { $0.language == language }
  }
}

/// The files of the repository.
enum Repository {
  /// Its root.
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  static func lines(of path: String) throws -> [String] {
    let text = try String(contentsOfFile: root + "/" + path, encoding: .utf8)
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The paths of the files below a directory, in order, without what builds leave behind.
  static func files(in directory: String, ending suffix: String) -> [String] {
    let names = FileManager.default.enumerator(atPath: root + "/" + directory)?.compactMap { $0 as? String } ?? []
    return names.filter { $0.hasSuffix(suffix) && !$0.split(separator: "/").contains { $0.hasPrefix(".build") } }
      .map { directory + "/" + $0 }.sorted()
  }
}
