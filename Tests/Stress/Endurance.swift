import AppSettings
import AppSettingsObserve
import Foundation

extension Stress {
  /// A hub that cannot read for so long that the kernel's queue overflows.
  static func overflow(saves: Int) async throws {
    let place = try Place()
    let settings = try store(place.file)
    let (calls, called) = AsyncStream.makeStream(of: Int.self)
    let goOn = DispatchSemaphore(value: 0)
    var iterator = calls.makeAsyncIterator()
    // Called on the thread that watches, which waits meanwhile.
    let observation = settings.observe(.number) { number in
      called.yield(number)
      if number == 1 { goOn.wait() }
    }
    guard await iterator.next() == 0 else { fail("the observation did not begin with 0") }
    place.put(1)
    guard await iterator.next() == 1 else { fail("the first change did not come") }
    let queue = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    guard let most = Int(queue.trimmingCharacters(in: .whitespacesAndNewlines)), saves * 4 > most else {
      fail("so many saves do not overflow a queue of \(queue)")
    }
    for number in 2...saves { place.put(number) }
    goOn.signal()
    try await within(.seconds(60), "the last save before the queue overflowed did not come") {
      for await number in calls where number == saves { break }
    }
    place.put(saves + 1)
    try await within(.seconds(60), "nothing came after the queue had overflowed") {
      for await number in calls where number == saves + 1 { break }
    }
    observation.cancel()
    say("\(saves) saves overflowed the queue, and the last was seen")
  }

  /// The directory is made again and again: it is still watched at the end, and the process is no larger.
  static func recreate(rounds: Int) async throws {
    let place = try Place()
    let settings = try store(place.file)
    let directory = (place.file as NSString).deletingLastPathComponent
    var iterator = settings.updates(.number).makeAsyncIterator()
    guard await iterator.next() == 0 else { fail("the stream did not begin with 0") }
    var before = 0
    for round in 1...rounds {
      unlink(place.file)
      rmdir(directory)
      mkdir(directory, 0o700)
      place.put(round)
      // Now and then all is waited for, so that events do not just pile up.
      guard round % 100 == 0 || round == rounds else { continue }
      var seen = await iterator.next()
      while seen != round { seen = await iterator.next() }
      if round == max(100, rounds / 10 / 100 * 100) { before = residentBytes() }
    }
    let growth = residentBytes() - before
    // Without a bound it would be 176 bytes of the library's alone for each of them, and a watch of the kernel's.
    guard growth < 1_500_000 else { fail("\(rounds) re-creations made the process \(growth / 1024) KB larger") }
    guard watches() < 64 else { fail("\(watches()) watches are left of \(rounds) re-creations") }
    say("\(rounds) re-creations, \(growth / 1024) KB more, \(watches()) watches")
  }

  private static func residentBytes() -> Int {
    let fields = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (fields.flatMap { Int($0[1]) } ?? 0) * sysconf(CInt(_SC_PAGESIZE))
  }

  /// How many inotify watches the process has.
  private static func watches() -> Int {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo")) ?? []
    return files.reduce(0) { count, file in
      let text = (try? String(contentsOfFile: "/proc/self/fdinfo/" + file, encoding: .utf8)) ?? ""
      return count + text.split(separator: "\n").filter { $0.hasPrefix("inotify wd:") }.count
    }
  }
}
