import AppSettings

/// Keeps what a stream delivers or a function is called with, in order, and waits for more.
package final class Recorder<Element: Sendable>: Sendable {
  private struct State: Sendable {
    var elements: [Element] = []
    var waiters: [(isMet: @Sendable ([Element]) -> Bool, resume: CheckedContinuation<Void, Never>)] = []

    mutating func resumeMet() {
      let elements = elements
      waiters.removeAll { waiter in
        guard waiter.isMet(elements) else { return false }
        waiter.resume.resume()
        return true
      }
    }
  }

  // Not in the recorder itself, which the task that follows a stream must not hold.
  private final class Box: Sendable {
    let state = Lock(State())

    func note(_ element: Element) {
      state.withLock { state in
        state.elements.append(element)
        state.resumeMet()
      }
    }
  }

  private let box = Box()
  private let task: Task<Void, Never>?

  /// A recorder of calls: ``note(_:)`` is for the function to call.
  package init() {
    task = nil
  }

  /// A recorder of a stream, until it ends or the last reference goes.
  package init<Stream: AsyncSequence & Sendable>(_ stream: Stream)
  where Stream.Element == Element, Stream.Failure == Never {
    let box = box
    task = Task { for await element in stream { box.note(element) } }
  }

  deinit {
    task?.cancel()
  }

  package var elements: [Element] { box.state.withLock { $0.elements } }

  package func note(_ element: Element) { box.note(element) }

  /// Waits until the elements are as they should be.
  package func wait(until isMet: @escaping @Sendable ([Element]) -> Bool) async {
    await withCheckedContinuation { continuation in
      box.state.withLock { state in
        state.waiters.append((isMet, continuation))
        state.resumeMet()
      }
    }
  }

  /// Ends the stream and waits until its loop is left.
  package func cancel() async {
    task?.cancel()
    await task?.value
  }
}

extension Recorder where Element: Equatable {
  /// Waits until this is the last element.
  package func wait(for element: Element) async {
    await wait { $0.last == element }
  }
}
