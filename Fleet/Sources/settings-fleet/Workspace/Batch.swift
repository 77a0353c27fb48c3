import FoundationEssentials
import SettingsFleet

/// Edits of several documents, a JSON object a line, as `settings-cli batch` reads them.
///
/// A line such as `{"app": "org.example.editor", "group": "lab"}` chooses the document of the lines after it.
struct Batch {
  /// The lines of one document, in order. Those of others are empty, so that each has its number.
  struct Part {
    var document: FleetDocument
    var lines: [Substring]
  }

  /// Each document once, in the order in which they were chosen first.
  private(set) var parts: [Part] = []

  /// - Parameter first: The document of the lines before any that chooses; `nil` if they are an error.
  /// - Throws: ``Failure`` for a choice that is none.
  init(_ text: String, first: FleetDocument?) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var chosen = first
    for (index, line) in lines.enumerated() where line.contains(where: { !$0.isWhitespace }) {
      if let choice = try? JSONDecoder().decode(Choice.self, from: Data(line.utf8)) {
        chosen = try choice.document(at: index + 1)
        continue
      }
      guard let chosen else {
        throw Failure(
          .usage,
          "Line \(index + 1): no document is chosen. Name an app after 'batch', or in a line before this one: "
            + #"{"app": "org.example.editor"}"#)
      }
      let at = parts.firstIndex { $0.document == chosen } ?? parts.endIndex
      if at == parts.endIndex {
        parts.append(Part(document: chosen, lines: Array(repeating: "", count: lines.count)))
      }
      parts[at].lines[index] = line
    }
  }

  /// A line that chooses a document.
  private struct Choice: Decodable {
    var app: String
    var group: String?
    var host: String?

    func document(at line: Int) throws -> FleetDocument {
      do {
        guard !app.hasPrefix("-") else { throw Failure(.usage, "Invalid app '\(app)'.") }
        return try PlaceOptions.document(of: app, group: group, host: host)
      } catch let failure as Failure {
        throw Failure(.usage, "Line \(line): \(failure)")
      }
    }
  }
}

/// What `settings-cli batch` answered to the lines of all documents.
struct BatchAnswers {
  private var lines: [(number: Int, text: Substring, answer: Answer)] = []

  private struct Answer: Decodable {
    var line: Int
    var ok: Bool
    var key: String?
    var changed: Bool?
    /// Only that of a line which was refused itself, and not because of another one.
    var status: Int32?
  }

  mutating func add(_ output: [UInt8]) {
    for text in String(decoding: output, as: UTF8.self).split(separator: "\n") {
      guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(text.utf8)) else { continue }
      lines.append((answer.line, text, answer))
    }
  }

  /// The first line that was refused.
  var refused: (line: Int, status: Int32)? {
    lines.filter { !$0.answer.ok }.compactMap { line in line.answer.status.map { (line.number, $0) } }
      .min { $0.0 < $1.0 }
  }

  /// All answers in the order of their lines. If one was refused, those of other documents say that they are not
  /// written.
  var text: String {
    let first = refused?.line
    return lines.sorted { $0.number < $1.number }.map { line in
      guard let first, line.answer.ok, line.answer.changed == true else { return line.text + "\n" }
      let key = (try? JSONEncoder().encode(line.answer.key ?? "")).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
      let message = "Not written, because line \(first) is refused."
      return #"{"line":\#(line.number),"ok":false,"key":\#(key),"message":"\#(message)"}"# + "\n"
    }.joined()
  }
}
