import AppSettings
import Glibc
import Synchronization

/// Standard output or standard error. A terminal gets colours, and no control characters from values.
struct Terminal: Sendable {
  enum Style: String, Sendable {
    case bold = "1", dim = "2", red = "31", green = "32", yellow = "33", blue = "34", magenta = "35", cyan = "36"
    case alarm = "1;31"
  }

  /// The values of `--color`.
  enum Color: String, CaseIterable, Sendable {
    case auto, always, never
  }

  static let output = Terminal(STDOUT_FILENO)
  static let error = Terminal(STDERR_FILENO)

  // The choice of --color: 0 none, 1 always, 2 never.
  private static let choice = Atomic<UInt8>(0)

  /// Stores the choice of `--color`.
  static func configure(_ color: Color) {
    choice.store(color == .always ? 1 : color == .never ? 2 : 0, ordering: .relaxed)
  }

  let isTerminal: Bool

  private init(_ descriptor: CInt) { isTerminal = isatty(descriptor) == 1 }

  /// Whether to show colours. `--color` decides; otherwise a terminal gets them, unless `NO_COLOR`
  /// (https://no-color.org) is not empty or the terminal is dumb.
  var hasColor: Bool {
    switch Self.choice.load(ordering: .relaxed) {
    case 1: true
    case 2: false
    default:
      isTerminal && (ProcessFacts.variable("NO_COLOR") ?? "").isEmpty && ProcessFacts.variable("TERM") != "dumb"
    }
  }

  /// A text in a style, if colours are enabled.
  func styled(_ text: String, _ style: Style?) -> String {
    guard let style, hasColor else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  /// A text in which no character controls the terminal or deceives the reader: control characters, those that change
  /// the direction of writing, and those without width become `\u001B`. Line feeds and tabs stay, and so do the joiners
  /// that scripts and emoji need. If this is not a terminal, the text is unchanged.
  func shown(_ text: String) -> String {
    guard isTerminal, text.unicodeScalars.contains(where: Self.isCommand) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if Self.isCommand(scalar) {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let isLong = digits.count > 4
        let zeros = String(repeating: "0", count: (isLong ? 8 : 4) - digits.count)
        result += "\\\(isLong ? "U" : "u")\(zeros)\(digits)".unicodeScalars
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  private static func isCommand(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x09: false
    case 0x00..<0x20, 0x7F..<0xA0: true
    // Direction marks and embeddings, and line and paragraph separators.
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    // Characters without width: soft hyphens, spaces, joiners, invisible operators, annotations, tags.
    case 0x00AD, 0x180E, 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: false
    }
  }
}
