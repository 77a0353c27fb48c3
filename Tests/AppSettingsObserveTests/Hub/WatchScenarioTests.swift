import Foundation
import Testing

@testable import AppSettingsObserve

/// What real tools do to a file: the hub's look must end with the file's final contents, see nothing torn on the way, and
/// find the file missing only where it was.
@Suite(.timeLimit(.minutes(10))) struct WatchScenarioTests {
  struct Scenario: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// Done before the subscription. The file is `etc/app/f`.
    var before: String
    var script: String
    var final: String?
    /// Whether the file is away long enough to be missed.
    var goes: Bool
    var needs: String?

    init(
      _ name: String, before: String = "mkdir -p etc/app; echo 1 > etc/app/f", _ script: String, final: String? = "2\n",
      goes: Bool = false, needs: String? = nil
    ) {
      testDescription = name
      self.before = before
      self.script = script
      self.final = final
      self.goes = goes
      self.needs = needs
    }
  }

  static let scenarios = [
    Scenario("echo >", "echo 2 > etc/app/f"),
    Scenario("echo >>", "echo 2 >> etc/app/f", final: "1\n2\n"),
    Scenario("tee", "echo 2 | tee etc/app/f"),
    Scenario("dd", "echo 2 | dd of=etc/app/f 2>/dev/null"),
    Scenario("truncate", "truncate -s 0 etc/app/f", final: ""),
    Scenario("sed -i", "sed -i s/1/2/ etc/app/f"),
    Scenario("sed -i.bak", "sed -i.bak s/1/2/ etc/app/f"),
    Scenario("perl -pi", "perl -pi -e s/1/2/ etc/app/f", needs: "perl"),
    Scenario("cp", "echo 2 > new; cp new etc/app/f"),
    Scenario("cp --remove-destination", "echo 2 > new; cp --remove-destination new etc/app/f"),
    Scenario("mv over", "echo 2 > new; mv new etc/app/f"),
    Scenario("mv across file systems", "echo 2 > $SHM/new; mv $SHM/new etc/app/f"),
    Scenario("install", "echo 2 > new; install -m 600 new etc/app/f"),
    Scenario("rm and create", "rm etc/app/f; echo 2 > etc/app/f"),
    Scenario("a hard link in its place", "echo 2 > new; rm etc/app/f; ln new etc/app/f; rm new"),
    Scenario("a hard link moved over it", "echo 2 > new; ln new etc/app/x; mv etc/app/x etc/app/f"),
    Scenario(
      "git checkout",
      """
      cd etc/app; git init -q; git add f; git -c user.name=a -c user.email=a@b commit -qm 1; echo 2 > f
      git -c user.name=a -c user.email=a@b commit -qam 2; git checkout -q HEAD~; git checkout -q -
      """, needs: "git"),
    Scenario("patch", "printf '1c1\\n< 1\\n---\\n> 2\\n' | patch -s etc/app/f", needs: "patch"),
    Scenario(
      "written in pieces", "exec 3> etc/app/f; printf '2 ' >&3; sleep 0.15; echo 3 >&3; exec 3>&-", final: "2 3\n"),
    Scenario(
      "mmap",
      """
      python3 -c 'import mmap; f = open("etc/app/f", "r+b"); m = mmap.mmap(f.fileno(), 0); m[0:1] = b"2"; m.flush(); m.close(); f.close()'
      """, needs: "python3"),
    Scenario("vim", "vim -es -u NONE -c 'set backup' -c '%s/1/2/' -c wq etc/app/f || test $? = 1", needs: "vim"),
    Scenario(
      "vim, backup by rename", "vim -es -u NONE -c 'set bkc=no' -c '%s/1/2/' -c wq etc/app/f || test $? = 1",
      needs: "vim"),
    Scenario(
      "vim, backup by copy", "vim -es -u NONE -c 'set bkc=yes' -c '%s/1/2/' -c wq etc/app/f || test $? = 1",
      needs: "vim"),
    Scenario(
      "RENAME_EXCHANGE",
      """
      echo 2 > new
      python3 -c 'import ctypes; c = ctypes.CDLL(None); exit(c.syscall(316 if __import__("platform").machine() == "x86_64" else 276, -100, b"new", -100, b"etc/app/f", 2))'
      """, needs: "python3"),
    Scenario("a file that comes", before: "mkdir -p etc/app", "echo 2 > etc/app/f"),
    Scenario("a file moved to where none was", before: "mkdir -p etc/app", "echo 2 > new; mv new etc/app/f"),
    Scenario("a file that goes", "rm etc/app/f", final: nil, goes: true),
    Scenario("a file moved away", "mv etc/app/f etc/app/g", final: nil, goes: true),
    Scenario("parents that come later", before: ":", "mkdir etc; mkdir etc/app; echo 2 > etc/app/f"),
    Scenario("parents that come at once", before: ":", "mkdir -p new/app; echo 2 > new/app/f; mv new etc"),
    Scenario("a directory removed and made again", "rm -r etc/app; mkdir etc/app; echo 2 > etc/app/f"),
    Scenario("all directories removed and made again", "rm -r etc; mkdir -p etc/app; echo 2 > etc/app/f"),
    Scenario(
      "a directory removed while someone is in it",
      "(cd etc/app; rm f; rmdir ../app; mkdir ../app; echo 2 > ../app/f)"),
    Scenario("a directory moved away", "mv etc/app etc/old", final: nil, goes: true),
    Scenario("a directory moved away and back", "mv etc old; sleep 0.2; mv old etc; echo 2 > etc/app/f", goes: true),
    Scenario("another directory in its place", "mkdir new; echo 2 > new/f; mv etc/app old; mv new etc/app"),
    Scenario("edits in a moved directory", "mv etc old; echo 3 > old/app/f; mkdir -p etc/app; echo 2 > etc/app/f"),
    Scenario(
      "ln -sfn", before: "mkdir -p etc/app v1 v2; echo 1 > v1/f; echo 2 > v2/f; ln -s ../../v1/f etc/app/f",
      "ln -sfn ../../v2/f etc/app/f"),
    Scenario(
      "ln -sfn of a directory", before: "mkdir -p etc v1 v2; echo 1 > v1/f; echo 2 > v2/f; ln -s ../v1 etc/app",
      "ln -sfn ../v2 etc/app"),
    Scenario(
      "an edit of a link's target", before: "mkdir -p etc/app v; echo 1 > v/g; ln -s ../../v/g etc/app/f",
      "echo 2 > v/g"),
    Scenario(
      "a rename over a link's target", before: "mkdir -p etc/app v; echo 1 > v/g; ln -s ../../v/g etc/app/f",
      "sed -i s/1/2/ v/g"),
    Scenario(
      "a link of a link, retargeted",
      before: "mkdir -p etc/app v; echo 1 > v/a; echo 2 > v/b; ln -s a v/g; ln -s ../../v/g etc/app/f", "ln -sfn b v/g"),
    Scenario(
      "a dangling link made valid", before: "mkdir -p etc/app; ln -s ../../v/g etc/app/f", "mkdir v; echo 2 > v/g"),
    Scenario("a link in a file's place", "echo 2 > new; ln -sf ../../new etc/app/f"),
    Scenario(
      "a file in a link's place", before: "mkdir -p etc/app; echo 1 > v; ln -s ../../v etc/app/f",
      "echo 2 > new; mv new etc/app/f; echo 3 > v"),
    Scenario(
      "a ConfigMap update",
      before: "mkdir -p etc/app/..1; echo 1 > etc/app/..1/f; ln -s ..1 etc/app/..data; ln -s ..data/f etc/app/f",
      "cd etc/app; mkdir ..2; echo 2 > ..2/f; ln -s ..2 ..tmp; mv -T ..tmp ..data; rm -r ..1"),
    Scenario(
      "two ConfigMap updates",
      before: "mkdir -p etc/app/..1; echo 1 > etc/app/..1/f; ln -s ..1 etc/app/..data; ln -s ..data/f etc/app/f",
      """
      cd etc/app; mkdir ..2; echo 3 > ..2/f; ln -s ..2 ..tmp; mv -T ..tmp ..data; rm -r ..1
      mkdir ..3; echo 2 > ..3/f; ln -s ..3 ..tmp; mv -T ..tmp ..data; rm -r ..2
      """),
    Scenario("a mode that keeps out, mended", "chmod 000 etc/app/f; echo 2 > etc/app/f; chmod 600 etc/app/f"),
    Scenario("a save that is undone", "echo 3 > etc/app/f; echo 1 > etc/app/f; echo 2 > etc/app/f"),
  ]

  @Test(arguments: HubUnderTest.allCases, scenarios)
  func `what a tool leaves is seen`(_ under: HubUnderTest, _ scenario: Scenario) async throws {
    if let program = scenario.needs, !isInstalled(program) {
      return print("'\(scenario.testDescription)' is not tried: \(program) is not installed.")
    }
    let root = TestDirectory()
    let shared = TestDirectory(in: "/dev/shm")
    #expect(try await root.run(scenario.before) == 0)
    // Where the file is only away for a moment, no moment is too long for a busy machine.
    let isShort = scenario.goes || scenario.final == ""
    let witness = Witness(root["etc/app/f"], grace: isShort ? .milliseconds(100) : .seconds(20))
    let subscription = under.subscribe(witness, to: root["etc/app/f"])
    await witness.wait { !$0.seen.isEmpty }
    let first = witness.record.seen[0]

    let home = ["SHM": shared.path, "HOME": root.path, "TMPDIR": shared.path]
    #expect(try await root.run(scenario.script, with: home) == 0)
    await witness.wait(for: scenario.final)

    let record = witness.record
    #expect(record.problems.isEmpty)
    if !scenario.goes && first != nil { #expect(!record.seen.contains(nil)) }
    // Whatever was seen stood in the file as a whole.
    for content in record.seen {
      #expect(content == nil || content == scenario.final || ["1\n", "3\n"].contains(content))
    }

    // The path is still watched after all that.
    let another = "etc/app/later"
    if scenario.final != nil {
      try root.write("9\n", to: another)
      rename(root[another], root["etc/app/f"])
      await witness.wait(for: "9\n")
    }
    subscription.cancel()
  }

  @Test(arguments: HubUnderTest.allCases) func `drop-ins that come, change and go are seen`(_ under: HubUnderTest)
    async throws
  {
    let root = TestDirectory()
    let witness = Witness(directory: root["d"])
    let subscription = under.subscribe(witness, toDirectory: root["d"])
    await witness.wait(for: "")
    try root.makeDirectory("d")
    try root.write("1", to: "d/a.toml")
    await witness.wait(for: "a.toml:1")
    try root.write("2", to: "d/a.toml")
    await witness.wait(for: "a.toml:2")
    try root.write("x", to: "b")
    try root.link("d/b.toml", to: "../b")
    await witness.wait(for: "a.toml:2b.toml:x")
    try root.write("y", to: "b")
    await witness.wait(for: "a.toml:2b.toml:y")
    try root.remove("d/a.toml")
    await witness.wait(for: "b.toml:y")
    try root.remove("d")
    await witness.wait(for: "")
    try root.makeDirectory("e")
    try root.write("3", to: "e/c.toml")
    rename(root["e"], root["d"])
    await witness.wait(for: "c.toml:3")
    subscription.cancel()
  }
}
