import Foundation
import SettingsFleet
import Synchronization

/// The texts that writers store.
enum Texts {
  static let app = "org.example.faults"
  static let schema = """
    schema-version = 1
    app = "\(app)"
    [keys.number]
    type = "integer"
    minimum = 0
    [keys.name]
    type = "string"

    """ + (0..<4).map { "[keys.w\($0)]\ntype = \"integer\"\nminimum = 0\n" }.joined()

  /// A text that every machine takes.
  static func good(_ number: Int, bytes: Int) -> [UInt8] {
    var text = "# Document \(number).\nnumber = \(number)\nname = \"number \(number)\"\n"
    let line = "# \(number) is the number of this text, in each of its lines, so that a torn one is noticed.\n"
    while text.utf8.count < bytes { text += line }
    return Array(text.utf8)
  }

  /// A text that no machine takes.
  static func bad(_ kind: Fault.Kind, _ number: Int) -> [UInt8] {
    switch kind {
    case .unparsable: Array("number = \(number)\nname = = \"refused\"\n".utf8)
    case .binary:
      Array("number = \(number)\nname = \"refused\(number.isMultiple(of: 2) ? "\0" : "")".utf8) + [0xff, 0x0a]
    case .unsigned: Array("number = \(number)\n# refused\n".utf8)
    case .tooNew: Array("settings-version = 9\nnumber = \(number)\n# refused\n".utf8)
    default: Array("number = -\(number)\n# refused\n".utf8)
    }
  }

  static var millisecondsSince1970: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  /// The text with one counter at another number.
  static func set(_ counter: String, to number: Int, in text: [UInt8]) -> [UInt8] {
    var lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    let line = "\(counter) = \(number)"
    if let index = lines.firstIndex(where: { $0.hasPrefix("\(counter) = ") }) {
      lines[index] = line
    } else {
      lines.append(line)
    }
    return Array((lines.joined(separator: "\n") + "\n").utf8)
  }

  /// A counter in a text; 0 if it is not there.
  static func number(of counter: String, in text: [UInt8]) -> Int {
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
    return lines.lazy.compactMap { line in
      line.hasPrefix("\(counter) = ") ? Int(line.dropFirst(counter.utf8.count + 3)) : nil
    }.first ?? 0
  }
}

/// The texts that no machine may ever have in a file.
final class RefusedTexts: Sendable {
  /// Protects the digests.
  private let digests = Mutex<Set<TextDigest>>([])

  func insert(_ text: [UInt8]) { digests.withLock { _ = $0.insert(TextDigest(of: text)) } }
  func contains(_ digest: TextDigest) -> Bool { digests.withLock { $0.contains(digest) } }
}
