import AppSettings
import AppSettingsObserve
import AppSettingsSchema
import Dispatch
import Glibc

extension SettingsKeys {
  static let theme = SettingsKey<Theme>("theme", default: .light, "Colours of the window.")
  static let fontSize = SettingsKey("editor.font-size", default: 12, .in(6...72), "Size of the font, in points.")
}

enum Theme: String, CaseIterable, SettingsSerializable {
  case light, dark
}

@main
@MainActor
struct DesktopApp {
  static let id = "org.example.desktop"

  static func main() throws {
    if CommandLine.arguments.dropFirst().first == "--settings" {
      // The schema tells tools what the keys are. An app writes it when it is installed.
      try SettingsSchema(app: id, keys: [.theme, .fontSize]).write()
      return try Dialog(app: id).run()
    }
    let loop = MainLoop()
    let window = Window()
    let settings = try SettingsStore(app: id)

    // These functions are called now, and then on the thread that makes a change: the one that watches the files, say.
    // So they do nothing but post to the loop. They last as long as the window.
    settings.observe(.theme, tiedTo: window) { window, theme in
      let isLocked = settings.origin(of: .theme).isLocked
      loop.post {
        window.theme = theme
        window.isThemeLocked = isLocked
      }
    }
    settings.observe(.fontSize, tiedTo: window) { window, size in
      loop.post { window.fontSize = size }
    }

    // What is wrong with the files, and what could not be set. A task of the pool reads the stream, and posts.
    let problems = Task.detached {
      for await problem in settings.problems { loop.post { window.show("problem: \(problem.message)") } }
    }

    let termination = DispatchSource.makeSignalSource(signal: SIGTERM, queue: .global())
    termination.setEventHandler { @Sendable in loop.post { loop.end() } }
    // Dispatch registers the source on a thread of its own. A signal that comes before ends the process at once.
    let isRegistered = DispatchSemaphore(value: 0)
    termination.setRegistrationHandler { @Sendable in isRegistered.signal() }
    termination.resume()
    isRegistered.wait()

    loop.run(
      onLine: { line in
        switch line {
        case "larger": settings[.fontSize] += 1  // at once in memory, soon on disk: nothing waits for the disk here
        case "smaller": settings[.fontSize] -= 1
        case "dark": settings[.theme] = .dark
        case "light": settings[.theme] = .light
        case "reset": settings.reset(.theme, .fontSize)
        case "quit": loop.end()
        default: window.show("unknown command '\(line)'")
        }
      },
      afterRound: { window.displayIfNeeded() })

    problems.cancel()
    // What was set would be written at exit as well; this way a failure is seen.
    do {
      try settings.flush()
    } catch {
      window.show("not saved: \(error.message)")
      exit(1)
    }
    window.show("ended")
  }
}
