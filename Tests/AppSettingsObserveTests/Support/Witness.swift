import AppSettings
import Foundation
import Testing

@testable import AppSettingsObserve

/// Looks at a file or directory as a store would, and keeps what it saw.
final class Witness: Sendable {
  private struct State {
    var seen: [String?] = []
    var looks = 0
    var missingSince: ContinuousClock.Instant?
    var problems: [WatchProblem] = []
    var waiters: [(isMet: @Sendable (Witness.Record) -> Bool, resume: CheckedContinuation<Void, Never>)] = []
  }

  struct Record {
    /// The contents, one after another, each different from the one before; `nil` while there was no file.
    var seen: [String?]
    var looks: Int
    var problems: [WatchProblem]
  }

  private let state = Lock(State())
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

  var record: Record { state.withLock { Record(seen: $0.seen, looks: $0.looks, problems: $0.problems) } }

  func look(_ cause: LookCause) -> LookResult {
    let content = read()
    let age = WatchPlan(of: target).end.age
    return state.withLock { state in
      defer { resumeMet(&state) }
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
      resumeMet(&state)
    }
  }

  /// Waits until the file was last seen with these contents.
  func wait(for content: String?) async {
    await wait { $0.seen.last == .some(content) }
  }

  func wait(until isMet: @escaping @Sendable (Record) -> Bool) async {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.waiters.append((isMet, continuation))
        resumeMet(&state)
      }
    }
  }

  private func resumeMet(_ state: inout State) {
    guard !state.waiters.isEmpty else { return }
    let record = Record(seen: state.seen, looks: state.looks, problems: state.problems)
    state.waiters.removeAll { waiter in
      guard waiter.isMet(record) else { return false }
      waiter.resume.resume()
      return true
    }
  }
}

/// The hubs that the scenarios run on: one on the library (as there can be one only), one on the kernel's calls.
enum HubUnderTest: String, CaseIterable, CustomTestStringConvertible {
  case standard, kernel

  private static let kernelHub = WatchHub(source: .kernel)

  var hub: WatchHub { self == .standard ? .shared : Self.kernelHub }
  var testDescription: String { rawValue }

  func subscribe(_ witness: Witness, to path: String) -> WatchSubscription {
    hub.subscribe(path: path, problem: { witness.note($0) }, look: { witness.look($0) })
  }

  func subscribe(_ witness: Witness, toDirectory path: String) -> WatchSubscription {
    hub.subscribe(directory: path, problem: { witness.note($0) }, look: { witness.look($0) })
  }
}
