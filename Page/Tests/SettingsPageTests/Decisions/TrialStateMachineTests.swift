import Testing

@testable import SettingsPage

private func trial(_ id: String, of app: String = "org.example.a") -> Trial {
  Trial(id: id, place: Trial.Place(target: app, options: []), keys: ["theme"], after: 3, pid: nil)
}

private func running(_ id: String = "1") -> TrialStateMachine {
  var machine = TrialStateMachine()
  #expect(machine.begin(trial(id)) == true)
  #expect(machine.started(id, 42)?.pid == 42)
  #expect(machine.run(id) != nil)
  return machine
}

@Test func `a trial that is kept is not taken back by its time`() {
  var machine = running()
  #expect(machine.keep("1", of: "org.example.a")?.id == "1")
  #expect(machine.takeBack("1") == nil)
  #expect(machine.isEmpty)
}

@Test func `a trial whose time is up is not kept any more, and taken back once`() {
  var machine = running()
  #expect(machine.takeBack("1")?.pid == 42)
  #expect(machine.keep("1", of: "org.example.a") == nil)
  #expect(machine.takeBack("1", of: "org.example.a") == nil)
  #expect(machine.shutDown() == [])
  #expect(!machine.isEmpty)
  machine.ended("1")
  #expect(machine.isEmpty)
}

@Test func `an app has one trial at a time, and two apps have two`() {
  var machine = running()
  #expect(machine.begin(trial("2")) == false)
  #expect(machine.begin(trial("3", of: "org.example.b")) == true)
}

@Test func `a trial is kept and taken back under its own app only`() {
  var machine = running()
  #expect(machine.keep("1", of: "org.example.b") == nil)
  #expect(machine.takeBack("1", of: "org.example.b") == nil)
  #expect(machine.keep("1", of: "org.example.a") != nil)
}

@Test func `a trial that is still being made is taken back by a failure alone`() {
  var machine = TrialStateMachine()
  #expect(machine.begin(trial("1")) == true)
  #expect(machine.takeBack("1") == nil)
  #expect(machine.keep("1", of: "org.example.a") == nil)
  #expect(machine.takeBack("1", hasFailed: true) != nil)
  #expect(machine.run("1") == nil)
}

@Test func `the end of the server takes back what runs, and lets nothing begin`() {
  var machine = running()
  #expect(machine.shutDown() == [Trial(id: "1", place: trial("1").place, keys: ["theme"], after: 3, pid: 42)])
  #expect(machine.begin(trial("2", of: "org.example.b")) == false)
}
