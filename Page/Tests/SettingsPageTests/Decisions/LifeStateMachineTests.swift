import Testing

@testable import SettingsPage

private let start = ContinuousClock.now

private func machine() -> LifeStateMachine {
  LifeStateMachine(grace: .seconds(3), idle: .seconds(600), now: start)
}

@Test func `a server that nobody opens ends after its idle time`() {
  #expect(machine().end == start + .seconds(600))
}

@Test func `a request postpones the end, and the server does not end while it answers one`() {
  var machine = machine()
  machine.requestBegan()
  #expect(machine.end == nil)
  machine.requestEnded(at: start + .seconds(50))
  #expect(machine.end == start + .seconds(650))
}

@Test func `a server ends soon after its last stream`() {
  var machine = machine()
  machine.streamOpened()
  machine.streamOpened()
  machine.streamClosed(at: start + .seconds(10))
  #expect(machine.end == nil)
  machine.streamClosed(at: start + .seconds(20))
  #expect(machine.end == start + .seconds(23))
}

@Test func `a reload keeps the server`() {
  var machine = machine()
  machine.streamOpened()
  machine.streamClosed(at: start + .seconds(10))
  machine.requestBegan()
  machine.requestEnded(at: start + .seconds(12))
  #expect(machine.end == start + .seconds(15))
  machine.streamOpened()
  #expect(machine.end == nil)
}

@Test func `an earlier end starts a timer, and a later one waits for the timer that runs`() {
  var machine = machine()
  #expect(machine.timerToStart() == start + .seconds(600))
  machine.requestBegan()
  #expect(machine.timerToStart() == nil)
  machine.requestEnded(at: start + .seconds(1))
  #expect(machine.timerToStart() == nil)
  machine.streamOpened()
  machine.streamClosed(at: start + .seconds(2))
  #expect(machine.timerToStart() == start + .seconds(5))
  #expect(machine.timerFired(at: start + .seconds(4)) == false)
  #expect(machine.timerToStart() == start + .seconds(5))
  #expect(machine.timerFired(at: start + .seconds(5)) == true)
}
