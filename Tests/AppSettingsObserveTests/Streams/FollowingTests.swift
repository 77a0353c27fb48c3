import AppSettings
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

/// Changes from outside, made by real tools, as a stream shows them.
@Suite(.timeLimit(.minutes(10))) struct FollowingTests {
  struct Way: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Makes the file, with 1 in it, unless there is to be none.
    var before: String
    /// Puts 2 where 1 was.
    var script: String

    init(_ name: String, before: String = "mkdir -p $D; echo 'number = 1' > $F", _ script: String) {
      testDescription = name
      self.before = before
      self.script = script
    }
  }

  static let ways = [
    Way("echo >", "echo 'number = 2' > $F"),
    Way("sed -i", "sed -i s/1/2/ $F"),
    Way("sed -i.bak", "sed -i.bak s/1/2/ $F"),
    Way("cp", "echo 'number = 2' > new; cp new $F"),
    Way("mv", "echo 'number = 2' > new; mv new $F"),
    Way("mv across file systems", "N=$(mktemp -p /dev/shm); echo 'number = 2' > $N; mv $N $F"),
    Way("install", "echo 'number = 2' > new; install -m 600 new $F"),
    Way("rm and create", "rm $F; echo 'number = 2' > $F"),
    Way(
      "written in pieces",
      "exec 3> $F; printf 'num' >&3; sleep 0.1; printf 'ber = ' >&3; sleep 0.1; echo 2 >&3; exec 3>&-"),
    Way(
      "a file made in pieces", before: ":",
      "mkdir -p $D; exec 3> $F; printf 'number = ' >&3; sleep 0.02; echo 2 >&3; exec 3>&-"),
    Way("another process", "\"$CLI\" set org.example.test number 2"),
    Way("another process, no file before", before: ":", "\"$CLI\" set org.example.test number 2"),
    Way("a file that does not exist yet", before: ":", "mkdir -p $D; echo 'number = 2' > $F"),
    Way("a directory removed and made again", "rm -r $D; mkdir $D; echo 'number = 2' > $F"),
    Way(
      "a directory moved away and another made",
      "mv $D old; mkdir $D; echo 'number = 2' > $F; echo 'number = 1' > old/settings.toml"),
    Way(
      "a link retargeted", before: "mkdir -p $D; echo 'number = 1' > a; echo 'number = 2' > b; ln -s $PWD/a $F",
      "ln -sfn $PWD/b $F"),
    Way("a link's target edited", before: "mkdir -p $D; echo 'number = 1' > a; ln -s $PWD/a $F", "sed -i s/1/2/ a"),
    Way(
      "a ConfigMap update",
      before:
        "mkdir -p $D/..1; cd $D; echo 'number = 1' > ..1/settings.toml; ln -s ..1 ..data; ln -s ..data/settings.toml settings.toml",
      "cd $D; mkdir ..2; echo 'number = 2' > ..2/settings.toml; ln -s ..2 ..tmp; mv -T ..tmp ..data; rm -r ..1"),
    Way("unparsable, then mended", "echo 'number = = 2' > $F; sleep 0.15; echo 'number = 2' > $F"),
  ]

  @Test(arguments: ways) func `a change of any make arrives, and nothing that was never there`(_ way: Way) async throws
  {
    let home = ScratchHome()
    let cli = "CLI='\(ChildProcess.product("settings-cli"))'\n"
    #expect(try await home.run(cli + way.before) == 0)
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    await recorder.wait { !$0.isEmpty }
    let first = way.before == ":" ? 0 : 1
    #expect(recorder.elements == [first])
    #expect(try await home.run(cli + way.script) == 0)
    await recorder.wait(for: 2)
    // On a machine so busy that a save takes long, a gap in it may be seen as one.
    #expect(recorder.elements.allSatisfy { [0, 1, 2].contains($0) })
    try home.write("number = 3\n")
    await recorder.wait(for: 3)
  }

  @Test func `a store that was told to follow takes in changes without a stream`() async throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let settings = try home.store()
    settings.follow()
    settings.follow()
    #expect(settings[.number] == 1)
    try home.replace("number = 2\n")
    while settings[.number] != 2 { await Task.yield() }
  }

  @Test func `a store without a stream does not change by itself`() async throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let settings = try home.store()
    // Two stores of one kind would share their state.
    let other = SettingsStore(
      at: try home.location(), migrations: .none, logger: .silent, acceptsAnyVersion: true)
    do {
      var iterator = settings.updates(.number).makeAsyncIterator()
      #expect(await iterator.next() == 1)
    }
    let recorder = Recorder(other.updates(.number))
    await recorder.wait(for: 1)
    try home.replace("number = 2\n")
    await recorder.wait(for: 2)
    #expect(settings[.number] == 1)
    settings.reload()
    #expect(settings[.number] == 2)
  }

  @Test func `a change of an administrator's file or drop-in arrives`() async throws {
    let home = ScratchHome()
    let directory = home.path + "/etc/xdg/org.example.test"
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    await recorder.wait(for: 0)
    try home.write("number = 1\n", to: directory + "/settings.toml")
    await recorder.wait(for: 1)
    try home.write("number = 2\n", to: directory + "/settings.d/50.toml")
    await recorder.wait(for: 2)
    try home.replace("number = 3\n", file: directory + "/settings.d/50.toml")
    await recorder.wait(for: 3)
    try FileManager.default.removeItem(atPath: directory + "/settings.d/50.toml")
    await recorder.wait(for: 1)
    try FileManager.default.removeItem(atPath: directory)
    await recorder.wait(for: 0)
    #expect(recorder.elements == [0, 1, 2, 3, 1, 0])
  }

  @Test func `the last of many saves in place arrives, and never a default`() async throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    await recorder.wait(for: 1)
    #expect(try await home.run("i=1; while [ $i -lt 2000 ]; do i=$((i+1)); echo \"number = $i\" > $F; done") == 0)
    await recorder.wait(for: 2000)
    #expect(!recorder.elements.contains(0))
    #expect(recorder.elements == recorder.elements.sorted())
  }

  @Test func `two processes that write at once are both seen, to the last`() async throws {
    let home = ScratchHome()
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number, .text))
    await recorder.wait { !$0.isEmpty }
    let command = ChildProcess.product("settings-cli")
    async let others: Int32 = home.run(
      "i=0; while [ $i -lt 20 ]; do i=$((i+1)); '\(command)' set org.example.test number $i; done")
    for value in 1...50 { try await settings.set("\(value)", for: .text) }
    #expect(try await others == 0)
    await recorder.wait { $0.last.map { $0.0 == 20 && $0.1 == "50" } == true }
    let numbers = recorder.elements.map(\.0)
    #expect(numbers == numbers.sorted())
  }

  enum Change: String, CaseIterable, Sendable { case rename, inPlace, own, link, directory }

  @Test(arguments: Change.allCases) func `every type of value is followed through every kind of change`(
    _ change: Change
  ) async throws {
    let home = ScratchHome()
    let texts = [
      "number = 1\nratio = 1.5\nlist = [1]\nnickname = \"a\"\n[view]\ntext = \"a\"\nflag = true\n[frame]\nwidth = 2\nheight = 2\n",
      "", "number = 2\nratio = 2.5\nlist = [1, 2]\n[view]\ntext = \"b\"\n[frame]\nwidth = 3\n",
    ]
    let settings = try home.store()
    let recorder = Recorder(
      settings.updates(.number, .ratio, .list, .nickname, .text, .flag, .frame))
    await recorder.wait { !$0.isEmpty }
    for text in texts {
      let directory = (home.file as NSString).deletingLastPathComponent
      switch change {
      case .rename: try home.replace(text)
      case .inPlace: try home.write(text)
      case .link:
        let target = home.path + "/" + UUID().uuidString
        try home.write(text, to: target)
        #expect(try await home.run("mkdir -p $D; ln -sfn '\(target)' $F") == 0)
      case .directory:
        try? FileManager.default.removeItem(atPath: directory)
        try home.write(text)
      case .own:
        let other = SettingsStore(inMemory: text)
        try await settings.update { transaction in
          transaction[.number] = other[.number]
          transaction[.ratio] = other[.ratio]
          transaction[.list] = other[.list]
          transaction[.nickname] = other[.nickname]
          transaction[.text] = other[.text]
          transaction[.flag] = other[.flag]
          transaction[.frame] = other[.frame]
        }
      }
      let wanted = SettingsStore(inMemory: text)
      await recorder.wait { elements in
        guard let (number, ratio, list, nickname, text, flag, frame) = elements.last else { return false }
        guard number == wanted[.number], ratio == wanted[.ratio], list == wanted[.list] else { return false }
        guard nickname == wanted[.nickname], text == wanted[.text] else { return false }
        return flag == wanted[.flag] && frame == wanted[.frame]
      }
    }
  }
}
