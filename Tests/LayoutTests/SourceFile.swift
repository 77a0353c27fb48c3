import Foundation

/// A file of a target, without its comments and strings.
struct SourceFile {
  /// Where it is below its target: `Store/SettingsStore.swift`.
  let path: String
  let lineCount: Int
  /// The types that it declares at its top, other than private ones.
  let declared: [String]
  /// The names that it uses and that begin with a capital letter.
  let used: Set<String>

  /// The folder below the target, `Store`; empty for a file in none.
  var folder: String { path.contains("/") ? String(path.prefix { $0 != "/" }) : "" }

  init(path: String, text: String) {
    self.path = path
    lineCount = text.count { $0 == "\n" }
    let code = Self.code(of: text)
    let declaration =
      #/(?m)^(?:@\w+(?:\([^)\n]*\))? +)*(?:(?:public|package|final|indirect) +)*(?:struct|class|actor|enum|protocol|typealias) (\w+)/#
    declared = code.matches(of: declaration).map { String($0.1) }
    used = Set(code.matches(of: /\b[A-Z]\w*/).map { String($0.0) })
  }

  /// The files of a target, those in its folders included.
  ///
  /// - Parameter target: Its folder in the repository.
  static func all(of target: String) throws -> [SourceFile] {
    let root = path(inRepository: target)
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasSuffix(".swift") }.sorted().map {
      SourceFile(path: $0, text: try String(contentsOfFile: root + "/" + $0, encoding: .utf8))
    }
  }

  /// The path of a file or a folder of the repository.
  static func path(inRepository name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(name)").standardizedFileURL.path
  }

  /// The text without comments, and with nothing but the code in strings.
  private static func code(of text: String) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    // How many quotation marks end the strings that this place is in, with the parentheses that are open around them.
    var strings: [(quotes: Int, depth: Int)] = []
    var depth = 0
    var isString = false
    func has(_ text: StaticString) -> Bool {
      let count = text.utf8CodeUnitCount
      return index + count <= bytes.count && (0..<count).allSatisfy { bytes[index + $0] == text.utf8Start[$0] }
    }
    while index < bytes.count {
      let byte = bytes[index]
      if isString {
        if strings.last!.quotes == 3 ? has("\"\"\"") : has("\"") {
          index += strings.removeLast().quotes
          isString = false
        } else if has("\\(") {
          strings[strings.count - 1].depth = depth
          (index, depth, isString) = (index + 2, depth + 1, false)
        } else {
          index += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        continue
      }
      if has("//") {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        continue
      }
      if byte == UInt8(ascii: "\"") {
        strings.append((has("\"\"\"") ? 3 : 1, depth))
        (index, isString) = (index + strings.last!.quotes, true)
        result.append(UInt8(ascii: " "))
        continue
      }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") {
        depth -= 1
        if let last = strings.last, last.depth == depth { isString = true }
      }
      result.append(byte)
      index += 1
    }
    return String(decoding: result, as: UTF8.self)
  }
}
