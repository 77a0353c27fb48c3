import AppSettings
import AppSettingsObserve
import BenchmarkHarness
import CFloor
import Foundation
import Synchronization

/// A directory of the run's own, in memory, where a rename waits for nothing.
final class Home {
  let path: String

  init() throws {
    let base = ProcessInfo.processInfo.environment["BENCHMARK_DIR"] ?? "/dev/shm"
    path = base + "/observation-benchmark-\(getpid())"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func location(_ name: String) throws -> SettingsLocation {
    let directory = path + "/" + name
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    prepare(0, in: directory)
    rename(directory + "/settings.toml.new", directory + "/settings.toml")
    return try SettingsLocation(file: directory + "/settings.toml")
  }
}

private let filler = (0..<110).map { "setting-\($0) = \"value \($0)\"  # a comment\n" }.joined()

/// Writes a file of about 4 KB beside the one that it is to replace.
private func prepare(_ number: Int, in directory: String) {
  let text = "counter = \(number)\n" + filler
  let file = open(directory + "/settings.toml.new", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0o600)
  precondition(write(file, text, text.utf8.count) == text.utf8.count)
  close(file)
}

/// Lets what is left of a round come to rest.
private func rest() { usleep(200) }

/// A thread in C, blocked in read(2), that then reads the file.
final class Floor {
  private let directory: String
  private let watcher: OpaquePointer

  init(_ home: Home) throws {
    let location = try home.location("floor")
    directory = (location.file as NSString).deletingLastPathComponent
    watcher = cfloor_watch_begin(directory, location.file)!
  }

  func time(_ round: Int) -> Double {
    prepare(round, in: directory)
    rest()
    let start = cfloor_now()
    rename(directory + "/settings.toml.new", directory + "/settings.toml")
    return Double(cfloor_watch_wait(watcher) - start)
  }
}

/// A reader of one store, in the way that is measured.
final class Reader: @unchecked Sendable {  // the fields are constants; what changes is behind a mutex
  private let settings: SettingsStore
  private let directory: String
  private let seen = Seen()
  private var kept: Any?

  private final class Seen: Sendable {
    let state = Mutex<(number: Int, time: Int)>((0, 0))
    let arrived = DispatchSemaphore(value: 0)

    func note(_ number: Int) {
      let now = cfloor_now()
      state.withLock { $0 = (number, now) }
      arrived.signal()
    }
  }

  init(_ home: Home, _ name: String, _ begin: (SettingsStore, @escaping @Sendable (Int) -> Void) -> Any) throws {
    let location = try home.location(name)
    directory = (location.file as NSString).deletingLastPathComponent
    settings = SettingsStore(at: location)
    kept = begin(settings) { [seen] in seen.note($0) }
    _ = wait(for: 0)
    // The hub has to be at rest, too.
    usleep(100_000)
  }

  private func wait(for number: Int) -> Int {
    while true {
      seen.arrived.wait()
      let (last, time) = seen.state.withLock { $0 }
      if last == number { return time }
    }
  }

  /// Nanoseconds from a rename to the reader.
  func time(_ round: Int) throws -> Double {
    prepare(round, in: directory)
    rest()
    let start = cfloor_now()
    rename(directory + "/settings.toml.new", directory + "/settings.toml")
    return Double(wait(for: round) - start)
  }

  /// Nanoseconds from setting a value to the reader.
  func timeOfOwn(_ round: Int) throws -> Double {
    let start = cfloor_now()
    settings[.counter] = round
    let time = Double(wait(for: round) - start)
    try settings.flush()
    rest()
    return time
  }
}
