import AppSettings
import Foundation
import TestSupport
import Testing

@testable import AppSettingsObserve

/// Looks at a file or directory as a store would, and keeps what it saw.
final class Witness: Sendable {
  struct Record: Sendable {
    /// The contents, one after another, each different from the one before; `nil` while there was no file.
    var seen: [String?] = []
    var looks = 0
    var problems: [WatchProblem] = []
    fileprivate var missingSince: ContinuousClock.Instant?
  }

  // Held while the recorder notes, so that records come in order.
  private let state = Lock(Record())
  private let records = Recorder<Record>()
  private let read: @Sendable () -> String?
  private let target: WatchTarget
  /// How long a file that had contents is without, until that is news.
  private let grace: Duration

  /// Looks at a file.
  init(_ path: String, grace: Duration = .milliseconds(100)) {
    self.grace = grace
    target = .file(path)
    read = { FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } }
  }

  /// Looks at the `*.toml` files of a directory.
  init(directory: String) {
    grace = .zero
    target = .directory(directory)
    read = {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
      return names.filter { $0.hasSuffix(".toml") }.sorted().compactMap { name in
        FileManager.default.contents(atPath: directory + "/" + name).map {
          name + ":" + String(decoding: $0, as: UTF8.self)
        }
      }.joined()
    }
  }

  var record: Record { state.withLock { $0 } }

  func look(_ cause: LookCause) -> LookResult {
    let content = read()
    let age = WatchPlan(of: target).end.age
    return state.withLock { state in
      defer { records.note(state) }
      state.looks += 1
      if content ?? "" == "", let last = state.seen.last, last != content {
        let since = state.missingSince ?? .now
        state.missingSince = since
        if since.duration(to: .now) < grace { return .again(after: grace - since.duration(to: .now)) }
      }
      state.missingSince = nil
      if cause == .doubt, let last = state.seen.last, last != content, let age, age < .milliseconds(50) {
        // It may be being written.
        return .again(after: .milliseconds(50) - age)
      }
      if state.seen.last != .some(content) { state.seen.append(content) }
      return .settled
    }
  }

  func note(_ problem: WatchProblem?) {
    guard let problem else { return }
    state.withLock { state in
      state.problems.append(problem)
      records.note(state)
    }
  }

  /// Waits until the file was last seen with these contents.
  func wait(for content: String?) async {
    await wait { $0.seen.last == .some(content) }
  }

  func wait(until isMet: @escaping @Sendable (Record) -> Bool) async {
    await records.wait { $0.last.map(isMet) ?? false }
  }
}

/// The hubs that the scenarios run on: one on the library (as there can be one only), one on the kernel's calls.
enum HubUnderTest: String, CaseIterable, CustomTestStringConvertible {
  case standard, kernel

  private static let kernelHub = WatchHub(source: .kernel)

  var hub: WatchHub { self == .standard ? .shared : Self.kernelHub }
  var testDescription: String { rawValue }

  func subscribe(_ witness: Witness, to path: String) -> WatchSubscription {
    hub.subscribe(to: .file(path), problem: { witness.note($0) }, look: { witness.look($0) })
  }

  func subscribe(_ witness: Witness, toDirectory path: String) -> WatchSubscription {
    hub.subscribe(to: .directory(path), problem: { witness.note($0) }, look: { witness.look($0) })
  }
}
