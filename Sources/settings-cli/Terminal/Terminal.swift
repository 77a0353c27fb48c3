import AppSettings
import AppSettingsSchema
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

  // Protects the choice of --color.
  private static let choice = Mutex(Color.auto)

  /// Stores the choice of `--color`.
  static func configure(_ color: Color) { choice.withLock { $0 = color } }

  let isTerminal: Bool

  private init(_ descriptor: CInt) { isTerminal = isatty(descriptor) == 1 }

  /// Whether to show colours. `--color` decides; otherwise a terminal gets them, unless `NO_COLOR`
  /// (https://no-color.org) is not empty or the terminal is dumb.
  var hasColor: Bool {
    switch Self.choice.withLock({ $0 }) {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && (ProcessFacts.variable("NO_COLOR") ?? "").isEmpty && ProcessFacts.variable("TERM") != "dumb"
    }
  }

  /// A text in a style, if colours are enabled.
  func styled(_ text: String, _ style: Style?) -> String {
    guard let style, hasColor else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }

  /// A text in which no character controls the terminal or deceives the reader. If this is not a terminal, the text is
  /// unchanged.
  func shown(_ text: String) -> String { isTerminal ? text.withVisibleCharacters : text }
}
