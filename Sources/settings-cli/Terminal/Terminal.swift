import AppSettings
import Glibc
import Synchronization

/// What standard output or standard error is: a terminal is shown colours, and no control characters of values.
struct Terminal: Sendable {
  enum Style: String, Sendable {
    case bold = "1", dim = "2", red = "31", green = "32", yellow = "33", blue = "34", magenta = "35", cyan = "36"
    case alarm = "1;31"
  }

  /// What `--color` takes.
  enum Color: String, CaseIterable, Sendable {
    case auto, always, never
  }

  static let output = Terminal(STDOUT_FILENO)
  static let error = Terminal(STDERR_FILENO)

  // What --color says: 0 nothing, 1 always, 2 never.
  private static let choice = Atomic<UInt8>(0)

  /// Takes note of what `--color` says.
  static func configure(_ color: Color) {
    choice.store(color == .always ? 1 : color == .never ? 2 : 0, ordering: .relaxed)
  }

  let isTerminal: Bool

  private init(_ descriptor: CInt) { isTerminal = isatty(descriptor) == 1 }

  /// Whether colours are shown: on a terminal, unless `NO_COLOR` (https://no-color.org) is set to something, it is a
  /// dumb one, or `--color` decides.
  var hasColor: Bool {
    switch Self.choice.load(ordering: .relaxed) {
    case 1: true
    case 2: false
    default:
      isTerminal && (ProcessFacts.variable("NO_COLOR") ?? "").isEmpty && ProcessFacts.variable("TERM") != "dumb"
    }
  }

  /// The columns of the terminal; 80 if it does not say.
  var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// A text in a style, where there is colour.
  func styled(_ text: String, _ style: Style?) -> String {
    guard let style, hasColor else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  /// A text of which no character commands the terminal or deceives who reads it: control characters, those that turn
  /// the direction of writing, and those that take no room stand as `\u001B`. Line feeds and tabs stay, and so do the
  /// joiners that scripts and emoji need. Where there is no terminal, the text as it is.
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
    // Marks and embeddings of direction, and the separators of lines and paragraphs.
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    // What takes no room: soft hyphens, spaces and joiners without width, invisible operators, annotations, tags.
    case 0x00AD, 0x180E, 0x200B, 0x2060...0x2065, 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
    default: false
    }
  }
}
