import Testing

@testable import SettingsPage

private let line = Array("{}".utf8)
private let next = Array("[]".utf8)

@Test func `one process serves all listeners of an app`() {
  var machine = WatchStateMachine(upTo: 2)
  #expect(machine.subscribe(1, to: "a") == .start(1))
  #expect(machine.subscribe(2, to: "a") == .join(last: nil))
  #expect(machine.line(line, from: 1) == ([1, 2], true))
  #expect(machine.line(next, from: 1) == ([1, 2], false))
  #expect(machine.subscribe(3, to: "a") == .join(last: next))
  #expect(machine.unsubscribe(1, from: "a") == nil)
  #expect(machine.unsubscribe(2, from: "a") == nil)
  #expect(machine.unsubscribe(3, from: "a") == 1)
  #expect(machine.unsubscribe(3, from: "a") == nil)
}

@Test func `what a stopped process still says reaches nobody`() {
  var machine = WatchStateMachine(upTo: 2)
  #expect(machine.subscribe(1, to: "a") == .start(1))
  #expect(machine.unsubscribe(1, from: "a") == 1)
  #expect(machine.subscribe(2, to: "a") == .start(2))
  #expect(machine.line(line, from: 1) == ([], false))
  #expect(machine.ended(1) == [])
  #expect(machine.line(line, from: 2) == ([2], true))
}

@Test func `a process that ends ends the streams of its app only`() {
  var machine = WatchStateMachine(upTo: 2)
  #expect(machine.subscribe(1, to: "a") == .start(1))
  #expect(machine.subscribe(2, to: "b") == .start(2))
  #expect(machine.ended(1) == [1])
  #expect(machine.listeners(of: "b") == [2])
  #expect(machine.subscribe(3, to: "a") == .start(3))
}

@Test func `no more apps are watched than allowed, and none after the end`() {
  var machine = WatchStateMachine(upTo: 1)
  #expect(machine.subscribe(1, to: "a") == .start(1))
  #expect(machine.subscribe(2, to: "b") == .refuse)
  #expect(machine.subscribe(3, to: "a") == .join(last: nil))
  #expect(machine.shutDown() == [1])
  #expect(machine.subscribe(4, to: "a") == .refuse)
}
