import FoundationEssentials
import SettingsFleet

/// Edits of several documents, a JSON object a line, as `settings-cli batch` reads them.
///
/// A line such as `{"app": "org.example.editor", "group": "lab"}` chooses the document of the lines after it.
struct Batch {
  /// The lines of one document.
  struct Part {
    var document: FleetDocument
    /// Each with its number, which begins with 1.
    var lines: [(number: Int, text: ArraySlice<UInt8>)] = []

    /// The lines at their places, with empty ones in the place of other documents'.
    var input: [UInt8] {
      var input: [UInt8] = []
      var next = 1
      for (number, text) in lines {
        input += repeatElement(newline, count: number - next)
        input += text
        next = number
      }
      return input
    }
  }

  /// Each document once: those for all machines first, so that the others' edits see them.
  private(set) var parts: [Part] = []
  /// As `settings-cli batch` has it.
  static let mostInput = 16 << 20

  /// - Parameter first: The document of the lines before any that chooses; `nil` if they are an error.
  /// - Throws: ``Failure`` if a line chooses an invalid document, or none is chosen.
  init(_ input: [UInt8], first: FleetDocument?) throws {
    guard input.count <= Self.mostInput else {
      throw Failure(
        .usage, "The batch has more than 16 MiB, which is the limit. Nothing was written. Make several of it.")
    }
    var chosen = first
    var places: [FleetDocument: Int] = [:]
    for (index, line) in input.split(separator: newline, omittingEmptySubsequences: false).enumerated()
    where !line.allSatisfy({ " \t\r".utf8.contains($0) }) {
      if let choice = Choice(line) {
        do {
          chosen = try choice.document
        } catch let failure as Failure {
          throw Failure(.usage, "Line \(index + 1): \(failure)")
        }
        continue
      }
      guard let chosen else {
        throw Failure(
          .usage,
          "Line \(index + 1): no document is chosen. Name an app after 'batch', or in a line before this one: "
            + #"{"app": "org.example.editor"}"#)
      }
      let place = places[chosen] ?? parts.endIndex
      if place == parts.endIndex {
        places[chosen] = place
        parts.append(Part(document: chosen))
      }
      parts[place].lines.append((index + 1, line))
    }
    // Each is at least the document and who changed it.
    try Cluster.checkOperations(2 * parts.count)
    parts = parts.filter { $0.document.scope == .all } + parts.filter { $0.document.scope != .all }
  }

  /// A line that chooses a document: an object with the member `app`.
  private struct Choice: Decodable {
    /// `nil` for a member that is not a string.
    private var members: [String: String?] = [:]
    private static let known = ["app", "group", "host"]

    private struct Name: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    /// `nil` for every other line.
    init?(_ line: ArraySlice<UInt8>) {
      guard let choice = try? JSONDecoder().decode(Choice.self, from: Data(line)) else { return nil }
      self = choice
      if members["app"] == nil { return nil }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Name.self)
      for name in container.allKeys {
        members[name.stringValue] = .some(try? container.decode(String.self, forKey: name))
      }
    }

    var document: FleetDocument {
      get throws {
        for name in members.keys.sorted() where !Self.known.contains(name) {
          throw Failure(.usage, "'\(name)' is unknown beside 'app': 'group' and 'host' are possible.")
        }
        func text(_ name: String) throws -> String? {
          guard let member = members[name] else { return nil }
          guard let member else { throw Failure(.usage, "'\(name)' has to be a string.") }
          return member
        }
        let app = try text("app") ?? ""
        guard !app.hasPrefix("-") else { throw Failure(.usage, "Invalid app '\(app)'.") }
        return try PlaceOptions.document(of: app, group: try text("group"), host: try text("host"))
      }
    }
  }
}

private let newline = UInt8(ascii: "\n")

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

  /// All answers in the order of their lines. If one was refused, the edits of other documents say that they are not
  /// written, as `settings-cli` says it of those of the same document.
  var text: String {
    let first = refused?.line
    return lines.sorted { $0.number < $1.number }.map { line in
      guard let first, line.answer.ok, line.answer.changed != nil else { return line.text + "\n" }
      let key = (try? JSONEncoder().encode(line.answer.key ?? "")).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
      let message = "Not written, because line \(first) is refused."
      return #"{"line":\#(line.number),"ok":false,"key":\#(key),"message":"\#(message)"}"# + "\n"
    }.joined()
  }
}
