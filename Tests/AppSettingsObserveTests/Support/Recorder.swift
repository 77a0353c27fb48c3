import AppSettings

/// Keeps what a stream delivers.
final class Recorder<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var elements: [Element] = []
    var waiters: [(isMet: @Sendable ([Element]) -> Bool, resume: CheckedContinuation<Void, Never>)] = []
  }

  private let state: StateBox
  private let task: Task<Void, Never>

  private final class StateBox: Sendable {
    let lock = Lock(State())

    func append(_ element: Element) {
      lock.withLock { state in
        state.elements.append(element)
        resumeMet(&state)
      }
    }

    func resumeMet(_ state: inout State) {
      let elements = state.elements
      state.waiters.removeAll { waiter in
        guard waiter.isMet(elements) else { return false }
        waiter.resume.resume()
        return true
      }
    }
  }

  init<Stream: AsyncSequence & Sendable>(_ stream: Stream) where Stream.Element == Element, Stream.Failure == Never {
    let state = StateBox()
    self.state = state
    task = Task { for await element in stream { state.append(element) } }
  }

  deinit {
    task.cancel()
  }

  var elements: [Element] { state.lock.withLock { $0.elements } }

  func wait(until isMet: @escaping @Sendable ([Element]) -> Bool) async {
    await withCheckedContinuation { continuation in
      state.lock.withLock { state in
        state.waiters.append((isMet, continuation))
        self.state.resumeMet(&state)
      }
    }
  }

  /// Ends the stream and waits until its loop is left.
  func cancel() async {
    task.cancel()
    await task.value
  }
}

extension Recorder where Element: Equatable {
  /// Waits until this is the last element.
  func wait(for element: Element) async {
    await wait { $0.last == element }
  }
}
