import SettingsFleet
import Testing

private typealias Mirror = MirrorStateMachine<Numbers>

struct MirrorStateMachineTests {
  private static func mirror(seed: UInt64 = 1) -> Mirror {
    Mirror(machine: Fixture.machine(groups: ["web"]), machines: 1, generator: Numbers(seed: seed))
  }

  private static let all = Array("/app-settings/1/editor/all/v1".utf8)
  private static let other = Array("/app-settings/1/editor/host/zz/v1".utf8)
  private static let player = Array("/app-settings/1/player/all/v1".utf8)
  private static let accept = Array("/app-settings/1/.accept".utf8)
  private static let ack = Ack(app: "editor", machine: "m1", host: "a1", revision: 1)

  /// A mirror that watches and has read everything.
  private static func watching(seed: UInt64 = 1) -> Mirror {
    var mirror = mirror(seed: seed)
    _ = mirror.start(at: .zero)
    _ = mirror.finished(range(mirror.streamOpened(1, at: .zero))!, .done, at: .zero)
    return mirror
  }

  private static func range(_ actions: [Mirror.Action]) -> Mirror.RangeRequest? {
    for case .range(let request) in actions { return request }
    return nil
  }

  @Test func `the watch comes first, then everything is read`() {
    var mirror = Self.mirror()
    #expect(mirror.nextDeadline == nil)
    #expect(mirror.start(at: .zero) == [.connect(stream: 1, after: .zero)])
    #expect(mirror.start(at: .zero).isEmpty)
    let request = Self.range(mirror.streamOpened(1, at: .zero))
    #expect(request?.app == nil)
    #expect(mirror.finished(request!, .done, at: .zero).isEmpty)
  }

  @Test func `hints during a range become one more range`() throws {
    var mirror = Self.watching()
    let first = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    #expect(first.app == "editor")
    for _ in 0..<5 { #expect(mirror.events([Self.all, Self.player], from: 1, at: .zero).isEmpty) }
    let second = try #require(Self.range(mirror.finished(first, .done, at: .zero)))
    let third = try #require(Self.range(mirror.finished(second, .done, at: .zero)))
    #expect([second.app, third.app] == ["editor", "player"])
    #expect(mirror.finished(third, .done, at: .zero).isEmpty)
  }

  @Test func `events that do not concern the machine need no range`() {
    var mirror = Self.watching()
    #expect(mirror.events([Self.other, Array("/x".utf8), []], from: 1, at: .zero).isEmpty)
    #expect(mirror.events([Self.all], from: 7, at: .zero).isEmpty)
  }

  @Test func `a hint during a range of everything is read in between`() throws {
    var mirror = Self.watching()
    let all = try #require(Self.range(mirror.recheck(at: .zero)))
    let nothing = mirror.interlude(at: .zero)
    #expect(nothing == nil && mirror.events([Self.all], from: 1, at: .zero).isEmpty)
    let (first, second) = (mirror.interlude(at: .zero), mirror.interlude(at: .zero))
    let urgent = try #require(first)
    #expect(urgent.app == "editor" && second == nil)
    #expect(mirror.events([Self.player], from: 1, at: .zero).isEmpty)
    #expect(mirror.finished(urgent, .done, at: .zero).isEmpty)
    let third = mirror.interlude(at: .zero)
    let next = try #require(third)
    #expect(next.app == "player")
    #expect(mirror.finished(next, .needsEverything, at: .zero).isEmpty)
    // What is held shows in a range of everything.
    let again = try #require(Self.range(mirror.finished(all, .done, at: .zero)))
    #expect(again.app == nil)
  }

  @Test func `what fails in the middle of a range of everything is tried again after it`() throws {
    var mirror = Self.watching()
    let all = try #require(Self.range(mirror.recheck(at: .zero)))
    _ = mirror.events([Self.all], from: 1, at: .zero)
    let interlude = mirror.interlude(at: .zero)
    let urgent = try #require(interlude)
    _ = mirror.finished(urgent, .retry, at: .zero)
    #expect(Self.range(mirror.finished(all, .done, at: .zero)) == nil)
    let deadline = try #require(mirror.nextDeadline)
    #expect(deadline <= MirrorTimes().longestRetryDelay)
    let again = try #require(Self.range(mirror.tick(at: deadline)))
    #expect(again.app == nil)
    _ = mirror.finished(again, .done, at: deadline)
    #expect(try #require(mirror.nextDeadline) >= MirrorTimes().heartbeat)
  }

  @Test func `of the hints during a range of everything the newest is read first`() throws {
    var mirror = Self.watching()
    _ = try #require(Self.range(mirror.recheck(at: .zero)))
    _ = mirror.events([Self.all], from: 1, at: .zero)
    _ = mirror.events([Self.player], from: 1, at: .seconds(1))
    let urgent = mirror.interlude(at: .seconds(2))
    #expect(urgent?.app == "player")
  }

  @Test func `many apps that change are read at once`() throws {
    var mirror = Self.watching()
    let first = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    let keys = (0..<40).map { Array("/app-settings/1/app\($0)/all/v1".utf8) }
    #expect(mirror.events(keys, from: 1, at: .zero).isEmpty)
    let next = try #require(Self.range(mirror.finished(first, .done, at: .seconds(30))))
    #expect(next.app == nil)
    let rest = mirror.finished(next, .done, at: .seconds(30))
    #expect(Self.range(rest) == nil)
  }

  @Test func `a document for others makes the watch narrower, once`() throws {
    var mirror = Self.watching()
    #expect(mirror.events([Self.other, Self.other], from: 1, at: .zero).isEmpty)
    let due = try #require(mirror.nextDeadline)
    #expect(due >= .seconds(1) && due < .seconds(2))
    #expect(mirror.tick(at: due).prefix(2) == [.disconnect(stream: 1), .connect(stream: 2, after: .zero)])
    _ = mirror.finished(Self.range(mirror.streamOpened(2, at: due))!, .done, at: due)
    #expect(try #require(mirror.nextDeadline) > .seconds(10))
  }

  @Test func `damage is mended at once, and later if it goes on`() throws {
    var mirror = Self.watching()
    var time = Duration.zero
    var waits: [Duration] = []
    for _ in 0..<20 {
      #expect(mirror.damaged("editor", at: time).isEmpty)
      let start = time
      var request: Mirror.RangeRequest?
      while request == nil {
        time = try #require(mirror.nextDeadline)
        let actions = mirror.tick(at: time)
        if actions.contains(.requestProgress(stream: 1)) { _ = mirror.progress(from: 1, at: time) }
        request = Self.range(actions)
      }
      waits.append(time - start)
      #expect(request?.app == "editor")
      _ = mirror.finished(request!, .done, at: time)
    }
    #expect(waits[0] <= .milliseconds(50) && waits[19] >= .seconds(20))
    // When it has ended, new damage is mended at once again.
    time += .seconds(130)
    #expect(mirror.damaged("editor", at: time).isEmpty)
    #expect(Self.range(mirror.tick(at: time + .milliseconds(50)))?.app == "editor")
  }

  @Test func `a mirror returns to its own member when that answers`() throws {
    var mirror = Self.watching()
    let due = try #require(mirror.nextDeadline)
    let actions = mirror.tick(at: due)
    #expect(actions.contains { if case .returnHome(stream: 1, _) = $0 { true } else { false } }, "\(actions)")
    #expect(mirror.homeAnswers(7, at: due).isEmpty)
    #expect(mirror.homeAnswers(1, at: due) == [.disconnect(stream: 1), .connect(stream: 2, after: .zero)])
  }

  @Test func `an answer to a former range is ignored`() throws {
    var mirror = Self.watching()
    let first = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    let second = Self.range(mirror.finished(first, .done, at: .zero))
    #expect(second == nil)
    let third = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    #expect(mirror.finished(first, .unavailable, at: .zero).isEmpty)
    #expect(mirror.finished(third, .done, at: .zero).isEmpty)
  }

  @Test func `held back, each hint reads everything`() throws {
    var mirror = Self.watching()
    let first = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    let second = try #require(Self.range(mirror.finished(first, .needsEverything, at: .zero)))
    #expect(second.app == nil)
    #expect(mirror.finished(second, .held, at: .zero).isEmpty)
    let third = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    #expect(third.app == nil)
    #expect(mirror.finished(third, .held, at: .zero).isEmpty)
    let fourth = try #require(Self.range(mirror.events([Self.accept], from: 1, at: .zero)))
    #expect(fourth.app == nil)
    _ = mirror.finished(fourth, .done, at: .zero)
    #expect(Self.range(mirror.events([Self.all], from: 1, at: .zero))?.app == "editor")
  }

  @Test func `an acceptance is read even if nothing is wrong`() {
    var mirror = Self.watching()
    #expect(Self.range(mirror.events([Self.accept], from: 1, at: .zero)) != nil)
  }

  @Test func `machines that get the same hint read at different times`() throws {
    var times: [Duration] = []
    for seed in UInt64(0)..<200 {
      var mirror = Self.watching(seed: seed)
      #expect(mirror.events([Self.all], machines: 200, from: 1, at: .seconds(1)).isEmpty)
      let due = try #require(mirror.nextDeadline)
      #expect(mirror.tick(at: due - .nanoseconds(1)).isEmpty)
      #expect(Self.range(mirror.tick(at: due))?.app == "editor")
      times.append(due - .seconds(1))
    }
    #expect(times.allSatisfy { $0 >= .zero && $0 < .milliseconds(400) })
    for quarter in 0..<4 {
      let part = Duration.milliseconds(100) * quarter
      #expect(times.count { $0 >= part && $0 < part + .milliseconds(100) } > 25)
    }
  }

  @Test(
    arguments: [
      (1, .zero), (3, .milliseconds(6)), (0, .zero), (-5, .zero), (Int.max, .seconds(20)), (nil, .milliseconds(200)),
    ] as [(Int?, Duration)])
  func `the time within which all read grows with the fleet`(_ machines: Int?, _ most: Duration) throws {
    for seed in UInt64(0)..<50 {
      var mirror = Self.watching(seed: seed)
      let actions = mirror.events([Self.all], machines: machines, from: 1, at: .zero)
      let due = Self.range(actions) == nil ? try #require(mirror.nextDeadline) : .zero
      #expect(due <= most)
    }
  }

  @Test func `a later hint does not put off the reading, and a counted fleet stays counted`() throws {
    var mirror = Self.watching()
    _ = mirror.events([Self.all], machines: 5000, from: 1, at: .zero)
    let due = try #require(mirror.nextDeadline)
    for _ in 0..<20 {
      _ = mirror.events([Self.all], from: 1, at: .zero)
      #expect(mirror.nextDeadline! <= due)
    }
    let counted = (0..<50).contains { seed in
      var mirror = Self.watching(seed: UInt64(seed))
      _ = mirror.events([Self.player], machines: 9000, from: 1, at: .zero)
      mirror.finishReading()
      _ = mirror.events([Self.all], from: 1, at: .seconds(10))
      return mirror.nextDeadline! > .seconds(12)
    }
    #expect(counted)
    #expect(mirror.machines == 5000)
  }

  @Test func `machines that lose a member together come back at different times`() throws {
    for (machines, longest) in [(3, Duration.milliseconds(106)), (5000, .milliseconds(10_100))] {
      var delays: [Duration] = []
      for seed in UInt64(0)..<100 {
        var mirror = Mirror(machine: Fixture.machine(), machines: machines, generator: Numbers(seed: seed))
        _ = mirror.start(at: .zero)
        _ = mirror.streamOpened(1, at: .zero)
        for case .connect(_, let delay) in mirror.streamEnded(1, at: .seconds(9)) { delays.append(delay) }
      }
      #expect(delays.count == 100 && delays.allSatisfy { $0 <= longest })
      #expect(delays.contains { $0 > longest * 0.9 } && delays.contains { $0 < longest * 0.6 })
    }
  }

  @Test func `a document for one host is read at once`() {
    var mirror = Self.watching()
    let own = Array("/app-settings/1/editor/host/a1/v1".utf8)
    #expect(Self.range(mirror.events([own], machines: 10_000, from: 1, at: .zero))?.app == "editor")
  }

  @Test func `waiting times double to the longest one, with jitter`() throws {
    for seed in UInt64(0)..<20 {
      var mirror = Self.mirror(seed: seed)
      _ = mirror.start(at: .zero)
      for attempt in 0..<40 {
        guard case .connect(let stream, let delay)? = mirror.streamEnded(attempt + 1, at: .zero).first else {
          Issue.record("no connect")
          return
        }
        let most = min(Duration.milliseconds(100) * (1 << min(attempt, 20)), MirrorTimes().longestDelay)
        #expect(stream == attempt + 2 && delay >= most / 2 && delay <= most)
      }
    }
  }

  @Test func `however long something was broken, the next try comes in time to be right within five seconds`() throws {
    // One attempt in vain takes a second, the work another one.
    #expect(MirrorTimes().longestDelay * 2 <= .seconds(4))
    var mirror = Self.watching()
    var now = Duration.zero
    for _ in 0..<30 {
      let request = try #require(Self.range(mirror.recheck(at: now)))
      _ = mirror.finished(request, .retry, at: now)
      let next = try #require(mirror.nextDeadline)
      #expect(next - now <= .seconds(3))
      now += .seconds(1)
    }
  }

  @Test func `a stream that ends at once does not come back at once`() {
    var mirror = Self.mirror()
    _ = mirror.start(at: .zero)
    var last = Duration.zero
    for stream in 1...12 {
      let request = Self.range(mirror.streamOpened(stream, at: .zero))
      if let request { _ = mirror.finished(request, .done, at: .zero) }
      guard case .connect(_, let delay)? = mirror.streamEnded(stream, at: .zero).last else { continue }
      last = delay
    }
    #expect(last >= MirrorTimes().longestDelay / 2)
    _ = mirror.streamOpened(13, at: .zero)
    guard case .connect(_, let delay)? = mirror.streamEnded(13, at: .seconds(60)).last else {
      Issue.record("no connect")
      return
    }
    #expect(delay <= .milliseconds(100))
  }

  @Test func `a silent stream is asked, and broken without an answer`() throws {
    var mirror = Self.watching()
    let heartbeat = try #require(mirror.nextDeadline)
    #expect(heartbeat == MirrorTimes().heartbeat)
    #expect(mirror.tick(at: heartbeat).first == .requestProgress(stream: 1))
    #expect(mirror.progress(from: 1, at: heartbeat).isEmpty)
    #expect(mirror.nextDeadline == heartbeat * 2)
    #expect(mirror.tick(at: heartbeat * 2).first == .requestProgress(stream: 1))
    let look = try #require(mirror.nextDeadline)
    #expect(look == heartbeat * 2 + MirrorTimes().usualAnswer)
    #expect(mirror.tick(at: look).isEmpty)
    let deadline = try #require(mirror.nextDeadline)
    #expect(deadline == heartbeat * 2 + MirrorTimes().progressDeadline)
    let actions = mirror.tick(at: deadline)
    #expect(actions.first == .disconnect(stream: 1) && actions.count == 2)
    #expect(mirror.progress(from: 1, at: deadline).isEmpty)
    #expect(Self.range(mirror.streamOpened(2, at: deadline))?.app == nil)
  }

  @Test func `an event is an answer, too`() throws {
    var mirror = Self.watching()
    let heartbeat = MirrorTimes().heartbeat
    _ = mirror.tick(at: heartbeat)
    _ = mirror.events([Array("/x".utf8)], from: 1, at: heartbeat)
    #expect(mirror.nextDeadline == heartbeat * 2)
  }

  @Test func `a cluster that does not answer is left, and the range's number is not used again`() throws {
    var mirror = Self.watching()
    let first = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    let actions = mirror.finished(first, .unavailable, at: .zero)
    #expect(actions.first == .disconnect(stream: 1))
    let second = try #require(Self.range(mirror.streamOpened(2, at: .zero)))
    #expect(second.app == nil && second.number > first.number)
  }

  @Test func `while a plan is carried out no other range begins, across a new stream as well`() throws {
    var mirror = Self.watching()
    let first = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    _ = mirror.streamEnded(1, at: .zero)
    #expect(Self.range(mirror.streamOpened(2, at: .zero)) == nil)
    #expect(Self.range(mirror.finished(first, .done, at: .zero))?.app == nil)
  }

  @Test func `what failed on the machine is tried again`() throws {
    var mirror = Self.watching()
    let first = try #require(Self.range(mirror.events([Self.all], from: 1, at: .zero)))
    #expect(mirror.finished(first, .retry, at: .zero).isEmpty)
    let deadline = try #require(mirror.nextDeadline)
    #expect(deadline <= MirrorTimes().retryDelay)
    #expect(Self.range(mirror.tick(at: deadline))?.app == nil)
  }

  @Test func `everything is read again now and then`() throws {
    var mirror = Self.watching()
    var ranges = 0
    var time = Duration.zero
    while time < .seconds(7300) {
      time = try #require(mirror.nextDeadline)
      let actions = mirror.tick(at: time)
      for case .requestProgress(let stream) in actions { _ = mirror.progress(from: stream, at: time) }
      if let request = Self.range(actions) {
        ranges += 1
        _ = mirror.finished(request, .done, at: time)
      }
    }
    #expect((2...4).contains(ranges))
  }

  // MARK: Answers

  /// A mirror that has published one answer.
  private static func publishing() -> Mirror {
    var mirror = watching()
    _ = mirror.offer([ack], at: .zero)
    let actions = mirror.leaseGranted(LeaseID(rawValue: 7), at: .zero)
    // The answer of the former run is still there.
    let former = published(
      mirror.publishConflicted(
        published(actions)!, with: LeaseID(rawValue: 3), revision: 40, at: .zero))!
    _ = mirror.published(former, revision: 41, at: .zero)
    return mirror
  }

  private static func published(_ actions: [Mirror.Action]) -> Ack? {
    for case .publish(let ack, _) in actions { return ack }
    return nil
  }

  @Test func `answers are published under a lease, once`() {
    var mirror = Self.watching()
    #expect(mirror.offer([Self.ack], at: .zero) == [.grantLease])
    let actions = mirror.leaseGranted(LeaseID(rawValue: 7), at: .zero)
    let ack = Self.published(actions)
    #expect(ack?.lease == LeaseID(rawValue: 7) && actions.count == 1)
    #expect(mirror.published(ack!, revision: 41, at: .zero).isEmpty)
    #expect(mirror.offer([Self.ack], at: .zero).isEmpty)
    #expect(mirror.tick(at: MirrorTimes().heartbeat).contains(.keepAlive(LeaseID(rawValue: 7))))
  }

  @Test func `after a lost connection, answers that are not where they were put are published again`() {
    var mirror = Self.publishing()
    _ = mirror.streamEnded(1, at: .seconds(3))
    let actions = mirror.streamOpened(2, at: .seconds(4))
    #expect(actions.contains(.confirm(["editor": 41])) && Self.published(actions) == nil)
    #expect(mirror.confirmed(["editor": 41], isRight: true, at: .seconds(4)).isEmpty)
    #expect(mirror.confirmed(["editor": 40], isRight: false, at: .seconds(4)).isEmpty)
    let again = Self.published(mirror.confirmed(["editor": 41], isRight: false, at: .seconds(4)))
    #expect(again?.app == "editor")
  }

  @Test func `a lost lease is replaced and everything published again`() {
    var mirror = Self.publishing()
    #expect(mirror.leaseKept(LeaseID(rawValue: 7), remaining: 100, at: .zero).isEmpty)
    #expect(mirror.leaseKept(LeaseID(rawValue: 7), remaining: 0, at: .zero) == [.grantLease])
    #expect(Self.published(mirror.leaseGranted(LeaseID(rawValue: 8), at: .zero))?.lease == LeaseID(rawValue: 8))
  }

  @Test func `a lease that was lost while publishing is replaced`() {
    var mirror = Self.publishing()
    var next = Self.ack
    next.revision = 2
    let ack = Self.published(mirror.offer([next], at: .zero))!
    #expect(mirror.publishFailed(ack, isLeaseGone: true, at: .zero) == [.grantLease])
  }

  @Test func `an answer whose fate is unknown is published again later`() throws {
    var mirror = Self.publishing()
    var next = Self.ack
    next.revision = 2
    let ack = try #require(Self.published(mirror.offer([next], at: .zero)))
    #expect(mirror.publishFailed(ack, isLeaseGone: false, at: .zero).isEmpty)
    #expect(mirror.offer([next], at: .zero).isEmpty)
    #expect(Self.published(mirror.tick(at: try #require(mirror.nextDeadline)))?.revision == 2)
  }

  @Test func `a lease that cannot be had is asked for again`() throws {
    var mirror = Self.watching()
    _ = mirror.offer([Self.ack], at: .zero)
    #expect(mirror.leaseFailed(at: .zero).isEmpty)
    #expect(mirror.tick(at: try #require(mirror.nextDeadline)) == [.grantLease])
  }

  @Test func `an app that is gone takes its answer with it`() {
    var mirror = Self.publishing()
    #expect(mirror.offer([], about: ["player"], at: .zero).isEmpty)
    #expect(mirror.offer([], at: .zero) == [.withdraw(app: "editor", replacing: 41)])
    #expect(mirror.offer([Self.ack], at: .zero).isEmpty)
    #expect(Self.published(mirror.withdrew(app: "editor", at: .zero)) != nil)
  }

  @Test func `an answer that could not be removed is removed later`() throws {
    var mirror = Self.publishing()
    #expect(mirror.offer([], at: .zero) == [.withdraw(app: "editor", replacing: 41)])
    #expect(mirror.withdrawFailed(app: "editor", at: .zero).isEmpty)
    let actions = mirror.tick(at: try #require(mirror.nextDeadline))
    #expect(actions == [.withdraw(app: "editor", replacing: 41)])
    #expect(mirror.withdrew(app: "editor", at: .zero).isEmpty)
    #expect(mirror.offer([], at: .zero).isEmpty)
  }

  @Test func `an answer that was put by a call given up before is removed, and another machine's is not`() throws {
    var mirror = Self.publishing()
    var next = Self.ack
    next.revision = 2
    let ack = try #require(Self.published(mirror.offer([next], at: .zero)))
    _ = mirror.publishFailed(ack, isLeaseGone: false, at: .zero)
    _ = mirror.offer([], at: .zero)
    let late = mirror.tick(at: try #require(mirror.nextDeadline))
    #expect(late == [.withdraw(app: "editor", replacing: 41)])
    #expect(
      mirror.withdrew(app: "editor", leaving: ack.lease, revision: 60, at: .zero)
        == [.withdraw(app: "editor", replacing: 60)])
    #expect(mirror.withdrew(app: "editor", leaving: LeaseID(rawValue: 99), revision: 61, at: .zero).isEmpty)
  }

  @Test func `another machine with this id is noticed and reported`() throws {
    var mirror = Self.publishing()
    func conflict(_ number: Int64, revision: Int64) throws -> Ack {
      var next = Self.ack
      next.revision = number
      let ack = try #require(Self.published(mirror.offer([next], at: .zero)))
      let actions = mirror.publishConflicted(ack, with: LeaseID(rawValue: 99), revision: revision, at: .zero)
      return try #require(Self.published(actions))
    }
    // A restored backup has an answer of an earlier run, from before this one's.
    let once = try conflict(2, revision: 40)
    #expect(once.problem == nil)
    #expect(mirror.published(once, revision: 45, at: .zero).isEmpty)
    let again = try conflict(3, revision: 50)
    #expect(again.problem?.kind == .duplicateMachine)
    #expect(mirror.published(again, revision: 53, at: .zero).isEmpty)
    // The other one is gone.
    let later = try #require(Self.published(mirror.tick(at: MirrorTimes().duplicateReport)))
    #expect(later.problem == nil)
    #expect(mirror.published(later, revision: 54, at: .seconds(601)).isEmpty)
  }

  @Test func `a call that was given up and carried out later does not replace a newer answer`() throws {
    var mirror = Self.publishing()
    var next = Self.ack
    next.revision = 2
    let actions = mirror.offer([next], at: .zero)
    let ack = try #require(Self.published(actions))
    #expect(actions == [.publish(ack, replacing: 41)])
    _ = mirror.publishFailed(ack, isLeaseGone: false, at: .zero)
    let again = mirror.tick(at: try #require(mirror.nextDeadline))
    #expect(again == [.publish(ack, replacing: 41)])
    // The first call was carried out after all.
    #expect(
      mirror.publishConflicted(ack, with: ack.lease, revision: 60, at: .zero) == [.publish(ack, replacing: 60)])
    #expect(mirror.published(ack, revision: 61, at: .zero).isEmpty)
  }

  @Test func `deadlines never stand still, whatever happens`() {
    for seed in Seeds.list(short: 200, full: 5000) {
      var random = Numbers(seed: seed)
      var mirror = Self.mirror(seed: seed)
      var time = Duration.zero
      var open: [Mirror.Action] = mirror.start(at: time)
      for _ in 0..<200 {
        if random.chance(40), let deadline = mirror.nextDeadline {
          time = max(time, deadline)
          open += mirror.tick(at: time)
          #expect(mirror.nextDeadline! > time, "SETTINGS_FLEET_SEED=\(seed)")
        } else if random.chance(5) {
          time += .seconds(random.number(0...100_000))
        } else if random.chance(20) {
          open += mirror.offer([Self.ack].filter { _ in random.chance(80) }, at: time)
        } else if !open.isEmpty {
          open += Self.answer(open.remove(at: random.number(0...(open.count - 1))), &mirror, time, &random)
        }
        let counts = [
          open.filter { if case .range = $0 { true } else { false } }.count,
          open.filter { if case .connect = $0 { true } else { false } }.count,
          open.filter { if case .publish = $0 { true } else { false } }.count,
          open.filter { $0 == .grantLease }.count, open.filter { if case .withdraw = $0 { true } else { false } }.count,
        ]
        guard counts.allSatisfy({ $0 <= 1 }) else {
          Issue.record("SETTINGS_FLEET_SEED=\(seed): \(counts)")
          return
        }
      }
    }
  }

  private static func answer(
    _ action: Mirror.Action, _ mirror: inout Mirror, _ time: Duration, _ random: inout Numbers
  ) -> [Mirror.Action] {
    switch action {
    case .connect(let stream, _):
      return random.chance(60) ? mirror.streamOpened(stream, at: time) : mirror.streamEnded(stream, at: time)
    case .disconnect: return []
    case .returnHome(let stream, _): return random.chance(30) ? mirror.homeAnswers(stream, at: time) : []
    case .requestProgress(let stream): return random.chance(70) ? mirror.progress(from: stream, at: time) : []
    case .range(let request):
      let outcomes: [Mirror.Outcome] = [.done, .done, .needsEverything, .held, .retry, .unavailable]
      return mirror.finished(request, random.pick(outcomes), at: time)
    case .grantLease:
      return random.chance(70)
        ? mirror.leaseGranted(LeaseID(rawValue: Int64(random.number(1...1000))), at: time)
        : mirror.leaseFailed(at: time)
    case .keepAlive(let lease): return mirror.leaseKept(lease, remaining: random.number(0...3), at: time)
    case .publish(let ack, _):
      switch random.number(0...9) {
      case ..<6: return mirror.published(ack, revision: 9, at: time)
      case ..<8: return mirror.publishConflicted(ack, with: LeaseID(rawValue: 5000), revision: 8, at: time)
      default: return mirror.publishFailed(ack, isLeaseGone: random.chance(50), at: time)
      }
    case .confirm(let revisions): return mirror.confirmed(revisions, isRight: random.chance(50), at: time)
    case .withdraw(let app, _):
      return random.chance(70) ? mirror.withdrew(app: app, at: time) : mirror.withdrawFailed(app: app, at: time)
    }
  }
}

extension Mirror {
  /// Reads what it wants to read, until nothing is left.
  fileprivate mutating func finishReading() {
    var time = Duration.zero
    for _ in 0..<100 {
      guard let due = nextDeadline else { return }
      time = max(time, due)
      guard time < .seconds(15) else { return }
      for case .range(let request) in tick(at: time) { _ = finished(request, .done, at: time) }
    }
  }
}
