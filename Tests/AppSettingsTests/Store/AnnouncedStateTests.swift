import SettingsTOML
import Testing
import TestSupport

@testable import AppSettings

/// What a transition of a store's state tells, to whom, and when.
struct AnnouncedStateTests {
  private let waiters = ChangeWaiters()
  private let problems = ProblemLog(logger: .silent)

  private func state() -> AnnouncedState {
    let user = LayerContent(layer: SettingsLayer(.user), document: TOMLDocument(), hasFile: false)
    return AnnouncedState(StoreState(user: user, overrides: .none), waiters: waiters, problems: problems)
  }

  @Test func `a transition wakes those who wait for its paths, once its lock is released`() {
    let state = state()
    let calls = Counter()
    let waiter = ChangeWaiter(paths: [["a"]]) { calls.increment() }
    waiters.add(waiter)
    state.withLock { state in
      _ = state.enqueue([Edit(path: ["a"], value: 1)])
      #expect(calls.value == 0)
    }
    #expect(calls.value == 1)
    #expect(waiter.take()?.batch?.paths == [["a"]])
    #expect(state.withLock { $0.news.isEmpty })
  }

  @Test func `a transition that changes nothing tells nothing`() {
    let state = state()
    let waiter = ChangeWaiter(paths: [.root])
    waiters.add(waiter)
    state.withLock { _ in }
    #expect(waiter.take() == nil)
  }

  @Test func `two transitions under one lock are recorded in their order`() {
    let state = state()
    let waiter = ChangeWaiter(paths: [["a"], ["b"]])
    waiters.add(waiter)
    state.withLock { state in
      _ = state.enqueue([Edit(path: ["b"], value: 1)])
      _ = state.enqueue([Edit(path: ["a"], value: 1)])
    }
    let batch = waiter.take()?.batch
    #expect(batch?.paths == [["a"]] && batch?.generation == 2)
  }

  @Test func `a body that throws tells what it had changed`() {
    struct Failure: Error {}
    let state = state()
    let waiter = ChangeWaiter(paths: [["a"]])
    waiters.add(waiter)
    #expect(throws: Failure.self) {
      try state.withLock { state throws(Failure) in
        _ = state.enqueue([Edit(path: ["a"], value: 1)])
        throw Failure()
      }
    }
    #expect(waiter.take() != nil)
  }

  @Test func `edits are in a commit's hands until it has ended, also when they are in the file`() throws {
    let user = LayerContent(layer: SettingsLayer(.user), document: TOMLDocument(), hasFile: false)
    var state = StoreState(user: user, overrides: .none)
    state.finishLoading()
    let number = state.enqueueAwaited([Edit(path: ["a"], value: 1)], isQuiet: false)
    #expect(!state.isCommitting(upTo: number))
    let (_, newest) = state.beginCommit()
    let later = state.enqueueAwaited([Edit(path: ["b"], value: 1)], isQuiet: false)
    #expect(state.isCommitting(upTo: number) && state.isCommitting(upTo: later))
    // The commit tells their callers whether they changed the file or failed.
    let text = Array("a = 1\n".utf8)
    state.adopt(try TOMLDocument(parsing: text), bytes: text, committed: newest, origin: .thisProcess)
    #expect(state.isCommitting(upTo: number))
    state.endCommit()
    #expect(!state.isCommitting(upTo: later))
    // One that takes no edits along keeps nobody waiting.
    state.withdraw([later])
    _ = state.beginCommit()
    let last = state.enqueueAwaited([Edit(path: ["b"], value: 2)], isQuiet: false)
    #expect(!state.isCommitting(upTo: last))
  }

  @Test func `new edits are based on awaited ones, which are announced when they are in the file`() throws {
    let user = LayerContent(layer: SettingsLayer(.user), document: TOMLDocument(), hasFile: false)
    var state = StoreState(user: user, overrides: .none)
    state.finishLoading()
    let number = state.enqueueAwaited([Edit(path: ["a"], value: 1)], isQuiet: false)
    #expect(state.snapshot[TOMLPath(["a"])] == nil && state.snapshotToEdit[TOMLPath(["a"])] == 1 && state.news.isEmpty)
    let text = Array("a = 1\n".utf8)
    state.adopt(try TOMLDocument(parsing: text), bytes: text, committed: number, origin: .thisProcess)
    #expect(state.news.last?.awaited.all == [["a"]] && state.news.last?.batch?.paths == [["a"]])
  }

  @Test func `a value that the file has instead of a pending edit is announced once`() throws {
    let user = LayerContent(layer: SettingsLayer(.user), document: TOMLDocument(), hasFile: false)
    var state = StoreState(user: user, overrides: .none)
    state.finishLoading()
    let number = state.enqueue([Edit(path: ["a"], value: 1)])
    let text = Array("a = 2\n".utf8)
    state.adopt(
      try TOMLDocument(parsing: text), bytes: text, committed: number, edited: [["a"]], origin: .thisProcess)
    #expect(state.news.last?.batch?.paths == [["a"]])
  }

  @Test func `a change ends what was wrong with the value that is gone`() {
    let state = state()
    problems.report(SettingsProblem(.invalidValue, "bad", path: ["a"]))
    #expect(problems.current.count == 1)
    state.withLock { _ = $0.enqueue([Edit(path: ["b"], value: 1)]) }
    #expect(problems.current.count == 1)
    state.withLock { _ = $0.enqueue([Edit(path: ["a"], value: 1)]) }
    #expect(problems.current.isEmpty)
  }
}
