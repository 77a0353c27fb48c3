import AppSettings
import SettingsFleet
import SettingsTools

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

  /// - Parameter first: The document of the lines before any that chooses; `nil` if they are an error.
  /// - Throws: ``Failure`` if a line chooses an invalid document, or none is chosen.
  init(_ input: [UInt8], first: FleetDocument?) throws {
    var chosen = first
    var places: [FleetDocument: Int] = [:]
    for (index, line) in input.split(separator: newline, omittingEmptySubsequences: false).enumerated()
    where !line.allSatisfy({ " \t\r".utf8.contains($0) }) {
      do {
        if let choice = try Self.choice(line) {
          chosen = choice
          continue
        }
      } catch let failure as Failure {
        throw Failure(.usage, "Line \(index + 1): \(failure)")
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

  /// The document that a line chooses: an object with the member `app`; `nil` for every other line.
  private static func choice(_ line: ArraySlice<UInt8>) throws -> FleetDocument? {
    // Which programs put before a text, and 'settings-cli batch' takes.
    let line = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
    let choice: JSONTree
    do throws(JSONText.Failure) {
      choice = try JSONTree(parsing: line)
    } catch {
      // What is no edit either is refused with the others.
      guard JSONTree.member("app", of: Array(line)) != nil else { return nil }
      throw Failure(.usage, "Cannot read what chooses a document: \(error.reason).")
    }
    guard choice["app"] != nil else { return nil }
    let members = choice.members ?? []
    for member in members where !["app", "group", "host"].contains(member.name) {
      throw Failure(.usage, "'\(member.name)' is unknown beside 'app': 'group' and 'host' are possible.")
    }
    for member in members where member.value.text == nil {
      throw Failure(.usage, "'\(member.name)' has to be a string.")
    }
    let app = choice["app"]?.text ?? ""
    guard !app.hasPrefix("-") else { throw Failure(.usage, "Invalid app '\(app)'.") }
    return try PlaceOptions.document(of: app, group: choice["group"]?.text, host: choice["host"]?.text)
  }
}

private let newline = UInt8(ascii: "\n")
