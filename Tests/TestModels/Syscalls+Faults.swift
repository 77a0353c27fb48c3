package import AppSettings
internal import Glibc

extension Syscalls {
  /// Which calls of a kind are meant.
  package enum Turn: Sendable {
    case every
    /// The n-th alone, counted from 1.
    case nth(Int)
    /// The n-th and those after it.
    case from(Int)

    fileprivate func includes(_ count: Int) -> Bool {
      switch self {
      case .every: true
      case .nth(let number): count == number
      case .from(let number): count >= number
      }
    }
  }

  /// Calls before which something happens.
  ///
  /// - Parameters:
  ///   - call: The kind of calls.
  ///   - turn: Which of them.
  ///   - counter: Counts them. While it is stopped, nothing happens.
  ///   - isMeant: Whether one with this path is meant, and counts.
  ///   - action: What to do, with the path: to wait, to interfere, or to throw, and the call fails.
  package static func before(
    _ call: Call, at turn: Turn = .every, counting counter: Counter = Counter(),
    where isMeant: @escaping @Sendable (String) -> Bool = { _ in true },
    _ action: @escaping @Sendable (String) throws(Errno) -> Void
  ) -> Syscalls {
    Syscalls { (found, path) throws(Errno) -> Int? in
      guard found == call, isMeant(path), let count = counter.increment() else { return nil }
      if turn.includes(count) { try action(path) }
      return nil
    }
  }

  /// Calls of which some fail.
  package static func failing(
    _ call: Call, at turn: Turn = .every, with error: CInt, counting counter: Counter = Counter(),
    where isMeant: @escaping @Sendable (String) -> Bool = { _ in true }
  ) -> Syscalls {
    before(call, at: turn, counting: counter, where: isMeant) { (_) throws(Errno) in throw Errno(error) }
  }

  /// Calls of which one kills this process.
  package static func dying(at call: Call, number: Int) -> Syscalls {
    before(call, at: .nth(number)) { _ in kill(getpid(), SIGKILL) }
  }

  /// Calls that are noted, each before it is made.
  package static func tracing(into trace: Monitor<[Call]>) -> Syscalls { tracing(into: trace) { call, _ in call } }

  /// Calls of which some are noted, each before it is made.
  ///
  /// - Parameter entry: What to note of a call with a path; `nil` for nothing.
  package static func tracing<Entry>(
    into trace: Monitor<[Entry]>, as entry: @escaping @Sendable (Call, String) -> Entry?
  ) -> Syscalls {
    Syscalls { call, path in
      if let entry = entry(call, path) { trace.withLock { $0.append(entry) } }
      return nil
    }
  }

  /// Calls of which those of a kind are counted.
  package static func counting(_ call: Call, into counter: Counter) -> Syscalls {
    before(call, counting: counter) { _ in }
  }

  /// Calls to which happens what happens to these, and then what happens to the others.
  package func and(_ others: Syscalls) -> Syscalls {
    let (first, second) = (intercept, others.intercept)
    return Syscalls { (call, path) throws(Errno) -> Int? in
      let count = try first?(call, path)
      return try second?(call, path) ?? count
    }
  }
}
