import AppSettings
import AppSettingsObserve
import Foundation
import Synchronization

/// A count that tasks share.
private final class Counter: Sendable {
  private let count = Atomic(0)
  var value: Int { count.load(ordering: .relaxed) }
  func add() { count.add(1, ordering: .relaxed) }
}

extension Stress {
  /// Many observers of one key: each sees the last of many changes, and none sees them go back.
  static func observers(_ count: Int, changes: Int) async throws {
    let place = try Place()
    let settings = try store(place.file)
    let ready = Counter()
    try await within(.seconds(600), "not every observer saw the last change") {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<count {
          group.addTask {
            var last = -1
            var seen = 0
            for await number in settings.updates(.number) {
              if last < 0 { ready.add() }
              guard number > last else { fail("\(number) came after \(last)") }
              last = number
              seen += 1
              if number == changes { break }
            }
            return seen
          }
        }
        while ready.value < count { await Task.yield() }
        // The first half by this process, the other from outside.
        for number in 1...changes / 2 { settings[.number] = number }
        try await settings.flush()
        for number in changes / 2 + 1...changes { place.put(number) }
        var most = 0
        for try await seen in group { most = max(most, seen) }
        say("\(count) observers saw the last of \(changes) changes, and up to \(most) of them")
      }
    }
  }

  /// Observers that come and go while the file changes; those that stay miss nothing.
  static func comingsAndGoings(_ changes: Int) async throws {
    let place = try Place()
    let settings = try store(place.file)
    let isOver = Counter()
    let comings = Counter()
    try await within(.seconds(600), "the last change was not seen") {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for observer in 0..<8 {
          group.addTask {
            while isOver.value == 0 {
              comings.add()
              await Task.yield()
              switch observer % 4 {
              case 0: for await number in settings.updates(.number) where number >= 0 { break }
              case 1:
                let task = Task { for await _ in settings.changes(.number) {} }
                await Task.yield()
                task.cancel()
                await task.value
              case 2:
                let observation = settings.observe(.number) { _ in }
                await Task.yield()
                observation.cancel()
              default:
                // A store of its own, so that the hub's subscriptions come and go as well.
                let other = SettingsStore(
                  at: try SettingsLocation(file: place.file), migrations: .none, logger: .silent,
                  acceptsAnyVersion: false, system: Syscalls())
                for await _ in other.updates(.number) { break }
              }
            }
          }
        }
        group.addTask {
          var last = -1
          for await number in settings.updates(.number) {
            guard number > last else { fail("\(number) came after \(last)") }
            last = number
            if number == changes { break }
          }
          isOver.add()
        }
        for number in 1...changes {
          place.put(number)
          if number % 16 == 0 { await Task.yield() }
        }
        try await group.waitForAll()
      }
    }
    say("\(comings.value) observers came and went during \(changes) changes")
  }

  /// Another process sets a number and says so; then a stream here has to show it, and nothing older afterwards.
  static func final(rounds: Int) async throws {
    let place = try Place()
    let settings = try store(place.file)
    let writer = Process()
    writer.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    writer.arguments = ["write", place.file]
    let (orders, answers) = (Pipe(), Pipe())
    writer.standardInput = orders
    writer.standardOutput = answers
    try writer.run()
    let input = answers.fileHandleForReading.fileDescriptor
    var stale = 0
    var iterator = settings.updates(.number).makeAsyncIterator()
    guard await iterator.next() == 0 else { fail("the stream did not begin with 0") }
    for round in 1...rounds {
      orders.fileHandleForWriting.write(Data("\(round)\n".utf8))
      var byte: UInt8 = 0
      while byte != UInt8(ascii: "\n") { guard read(input, &byte, 1) == 1 else { fail("the writer ended") } }
      // The write is over. What the stream shows is what was written, and the store says the same.
      let watchdog = Task.detached {
        try await Task.sleep(for: .seconds(30))
        fail("round \(round): nothing came")
      }
      let seen = await iterator.next()
      watchdog.cancel()
      if seen != round || settings[.number] != round { stale += 1 }
    }
    try orders.fileHandleForWriting.close()
    writer.waitUntilExit()
    guard stale == 0 else { fail("\(stale) of \(rounds) rounds showed an old value") }
    say("\(rounds) rounds across two processes, 0 stale")
  }
}
