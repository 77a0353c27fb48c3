import Glibc
import Synchronization

/// Opens the page in the person's browser.
///
/// Every user of the machine can read command lines, so the code must not be in one. The browser opens a file that only
/// this user can read, and that leads to the page.
final class BrowserOpener: Sendable {
  private let environment: [String: String]
  // Protects the path of the file, which is removed once.
  private let file = Mutex<String?>(nil)

  init(_ environment: [String: String]) { self.environment = environment }

  func open(_ url: String) {
    guard let directory = environment["XDG_RUNTIME_DIR"] ?? environment["HOME"], directory.first == "/" else {
      return say("To see the page, open the address above.")
    }
    let path = "\(directory)/settings-page-\(getpid()).html"
    guard Self.write(Self.page(leadingTo: url), to: path) else {
      return say("The browser cannot be told of the page. Open the address above.")
    }
    file.withLock { $0 = path }
    var pid: pid_t = 0
    var words: [UnsafeMutablePointer<CChar>?] = [strdup("xdg-open"), strdup(path), nil]
    defer { for word in words { free(word) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    guard posix_spawnp(&pid, "xdg-open", nil, &attributes, &words, environ) == 0 else {
      cleanUp()
      return say("There is no 'xdg-open'. Open the address above.")
    }
  }

  /// Removes the file.
  func cleanUp() {
    let path = file.withLock { file in
      defer { file = nil }
      return file
    }
    if let path { unlink(path) }
  }

  /// The letters of a URL here need no escaping: its parts are base64url and percent-encoded.
  private static func page(leadingTo url: String) -> String {
    let target = url.replacing("&", with: "&amp;")
    return """
      <!doctype html><meta charset="utf-8"><title>Settings</title>
      <meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=\(target)">
      <p><a href="\(target)">Settings</a></p>

      """
  }

  private static func write(_ text: String, to path: String) -> Bool {
    unlink(path)
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    return Glibc.write(descriptor, bytes, bytes.count) == bytes.count
  }
}

/// Says something on standard error.
func say(_ text: String) {
  let message = Array("settings-page: \(text)\n".utf8)
  _ = Glibc.write(STDERR_FILENO, message, message.count)
}
