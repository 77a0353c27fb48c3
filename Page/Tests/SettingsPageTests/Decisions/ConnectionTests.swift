import Testing

@testable import SettingsPage

private let limits: Limits = {
  var limits = Limits()
  limits.wait = .seconds(15)
  limits.discardedBody = 100
  return limits
}()

@Test func `the newest connections are refused, and later dropped`() {
  var limit = ConnectionLimit(serving: 2, refusing: 1)
  #expect([0, 1, 2, 2].map { limit.open(beside: $0) } == [.serve, .serve, .refuse, .drop])
  limit.close(.drop)
  #expect(limit.open(beside: 2) == .drop)
  limit.close(.refuse)
  #expect(limit.open(beside: 2) == .refuse)
  limit.close(.serve)
  #expect(limit.open(beside: 1) == .serve)
  #expect(limit.refused == 1)
}

@Test func `a client has its time for the head, and again for the body`() {
  var clock = ConnectionClock(limits)
  #expect(clock.opened() == .wait(.seconds(15)))
  #expect(clock.readHead() == .wait(.seconds(15)))
  // Parts of a body give no more time.
  #expect(clock.readBody(10) == .keep)
  #expect(clock.readBody(10) == .keep)
  #expect(clock.readEnd() == .rest)
  #expect(clock.answered() == .wait(.seconds(15)))
}

@Test func `the time of a body goes on after an early answer`() {
  var clock = ConnectionClock(limits)
  _ = clock.readHead()
  #expect(clock.answered() == .keep)
  #expect(clock.readBody(100) == .keep)
  #expect(clock.readBody(1) == .close)
  #expect(clock.readEnd() == .wait(.seconds(15)))
}

@Test func `no time runs while one of two requests is not answered`() {
  var clock = ConnectionClock(limits)
  _ = clock.readHead()
  #expect(clock.readEnd() == .rest)
  _ = clock.readHead()
  #expect(clock.readEnd() == .rest)
  #expect(clock.answered() == .rest)
  #expect(clock.answered() == .wait(.seconds(15)))
}
