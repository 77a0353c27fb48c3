import AppSettings
import AppSettingsObserve
import Foundation

extension SettingsKeys {
  static let number = SettingsKey("number", default: 0)
}

/// Observation under load, in a process of its own. The tests run it with small numbers, `Scripts/observation` with large ones.
///
/// It exits 0 if all was as it should be; otherwise it says on stderr what was not.
@main
struct Stress {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.count == 2, arguments[0] == "descriptors", let rounds = Int(arguments[1]) {
      // Before any task, as those come with descriptors.
      do { try descriptors(rounds: rounds) } catch { fail("\(error)") }
      return
    }
    if arguments.count == 2, arguments[0] == "plainly" {
      do { try watchPlainly(arguments[1]) } catch { fail("\(error)") }
    }
    Task {
      do { try await run() } catch { fail("\(error)") }
      exit(0)
    }
    dispatchMain()
  }

  private static func run() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let verb = arguments.first else { fail("usage: settings-stress VERB ARGUMENT…") }
    func number(_ index: Int) -> Int {
      guard arguments.indices.contains(index), let number = Int(arguments[index]) else { fail("a number is missing") }
      return number
    }
    switch verb {
    case "watch": try await watch(arguments[1], openFiles: arguments.count > 2 ? number(2) : 0)
    case "write": try write(arguments[1])
    case "observers": try await observers(number(1), changes: number(2))
    case "comings-and-goings": try await comingsAndGoings(number(1))
    case "final": try await final(rounds: number(1))
    case "overflow": try await overflow(saves: number(1))
    case "recreate": try await recreate(rounds: number(1))
    default: fail("unknown verb '\(verb)'")
    }
  }

  /// Follows a file or an app, with so many other files open: prints its number and each other one, and the problems.
  private static func watch(_ file: String, openFiles: Int) async throws {
    if openFiles > 0 {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      for _ in 0..<openFiles where open("/dev/null", O_RDONLY | O_CLOEXEC) < 0 { fail("cannot open so many files") }
    }
    let settings = try store(file)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { for await number in settings.updates(.number) { say("number \(number)") } }
      group.addTask { for await problem in settings.problems { say("problem \(problem.message)") } }
    }
  }

  /// Sets each number that it reads, durably, and says so.
  private static func write(_ file: String) throws {
    let settings = try store(file)
    while let line = readLine(), let number = Int(line) {
      try settings.set(number, for: .number)
      say("done \(number)")
    }
  }

  /// The store of a file, or, without a slash, of an app with all its layers.
  static func store(_ file: String) throws -> SettingsStore {
    let location = file.contains("/") ? try SettingsLocation(file: file) : try SettingsLocation(app: file)
    return SettingsStore(at: location, logger: .silent)
  }

  static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("settings-stress: \(message)\n".utf8))
    exit(1)
  }
}

/// A directory of the run's own, in memory where that can be had.
final class Place: Sendable {
  let path: String
  var file: String { path + "/etc/settings.toml" }

  init() throws {
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : NSTemporaryDirectory()
    path = base + "/settings-stress-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path + "/etc", withIntermediateDirectories: true)
    put(0)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Replaces the file as careful programs do.
  func put(_ number: Int) {
    let text = "number = \(number)\n"
    let new = file + ".new"
    let descriptor = open(new, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    guard Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count else {
      Stress.fail("cannot write '\(new)'")
    }
    close(descriptor)
    rename(new, file)
  }
}

/// Ends the process if something does not come about in time.
func within(_ limit: Duration, _ what: String, _ body: @escaping @Sendable () async throws -> Void) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await body() }
    group.addTask {
      try await Task.sleep(for: limit)
      Stress.fail("after \(limit): \(what)")
    }
    try await group.next()
    group.cancelAll()
  }
}
