import AppSettings
import Glibc

/// Stands for a window: it prints what it shows. It is the main thread's alone.
@MainActor
final class Window {
  var theme = Theme.light { didSet { needsDisplay = true } }
  var fontSize = 0 { didSet { needsDisplay = true } }
  var isThemeLocked = false { didSet { needsDisplay = true } }
  private var needsDisplay = false

  /// Draws the window if something has changed since it was drawn: once for all changes of a round.
  func displayIfNeeded() {
    guard needsDisplay else { return }
    needsDisplay = false
    show("\(theme), \(fontSize) points\(isThemeLocked ? ", theme locked" : "")")
  }

  /// Prints a line at once, also into a pipe.
  func show(_ line: String) {
    print(line)
    fflush(nil)
  }
}
