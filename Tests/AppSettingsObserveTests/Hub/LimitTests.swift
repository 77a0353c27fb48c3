import Foundation
import Testing
import TestSupport

/// The system's limits, in processes of their own.
///
/// One after another: a test that waits for a process holds a thread of the pool, and others' time limits run meanwhile.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LimitTests {
  @Test(arguments: [("max_inotify_watches", 0), ("max_inotify_watches", 2), ("max_inotify_instances", 0)])
  func `where a limit is reached the file is looked at by the clock, and one problem says so`(
    _ limit: String, _ value: Int
  ) throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    // In a user namespace of its own a process may set limits, for itself.
    let script = "echo \(value) > /proc/sys/user/\(limit) && echo limited"
    guard
      try ChildProcess.run("/usr/bin/env", ["unshare", "-Ur", "sh", "-c", script], environment: home.environment)
        .output == "limited\n"
    else { return print("'\(limit)' is not tried: user namespaces are not to be had here.") }
    let stress = "exec '\(ChildProcess.product("settings-stress"))' watch '\(home.file)'"
    let process = try RunningProcess(
      "/usr/bin/env", ["unshare", "-Ur", "sh", "-c", script + "; " + stress], environment: home.environment)
    #expect(process.nextLine() == "limited")
    let lines = [process.nextLine() ?? "", process.nextLine() ?? ""].sorted()
    #expect(lines[0] == "number 1")
    #expect(lines[1].hasPrefix("problem Cannot watch '"))
    #expect(lines[1].contains("the limit of inotify"))
    #expect(lines[1].contains("fs.inotify.max_user_\(limit.hasSuffix("watches") ? "watches" : "instances")"))
    #expect(lines[1].hasSuffix("Changes are looked for once a second instead."))
    for number in 2...3 {
      try home.write("number = \(number)\n")
      // Nothing else is said, of the limit either.
      #expect(process.nextLine() == "number \(number)")
    }
    process.signal(SIGTERM)
    process.wait()
  }

  @Test func `a limit is one problem of a store, and the administrator's files are looked at, too`() throws {
    let home = ScratchHome()
    try home.write("number = 1\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
    let script = "echo 0 > /proc/sys/user/max_inotify_watches && echo limited"
    let stress = "exec '\(ChildProcess.product("settings-stress"))' watch org.example.test"
    let process = try RunningProcess(
      "/usr/bin/env", ["unshare", "-Ur", "sh", "-c", script + " && " + stress], environment: home.environment)
    guard process.nextLine() == "limited" else { return print("User namespaces are not to be had here.") }
    let lines = [process.nextLine() ?? "", process.nextLine() ?? ""].sorted()
    #expect(lines[0] == "number 1")
    #expect(lines[1].hasPrefix("problem Cannot watch '"))
    // Each of the others has told of it by the time that a change of theirs was seen.
    try home.write("number = 2\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
    #expect(process.nextLine() == "number 2")
    try home.write("number = 3\n", to: home.path + "/etc/xdg/org.example.test/settings.d/1.toml")
    #expect(process.nextLine() == "number 3")
    try home.write("number = 4\n")
    #expect(process.nextLine() == "number 4")
    process.signal(SIGTERM)
    process.wait()
  }

  @Test(arguments: ["max_inotify_watches", "max_inotify_instances"])
  func `a limit that was lifted is no problem any more, and the file is watched`(_ limit: String) throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let script = """
      echo 0 > /proc/sys/user/\(limit) || exit
      {
        until test -e '\(home.path)/lift'; do test -d '\(home.path)' || exit; sleep 0.02; done
        echo 100 > /proc/sys/user/\(limit)
      } >/dev/null &
      echo limited
      exec '\(ChildProcess.product("settings-stress"))' plainly '\(home.file)'
      """
    let process = try RunningProcess(
      "/usr/bin/env", ["unshare", "-Ur", "sh", "-c", script], environment: home.environment)
    guard process.nextLine() == "limited" else { return print("User namespaces are not to be had here.") }
    #expect(process.nextLine() == "number 1")
    #expect(process.nextLine()?.hasPrefix("problem Cannot watch '") == true)
    #expect(watches(of: process.id) == 0)
    try home.write("", to: home.path + "/lift")
    #expect(process.nextLine() == "no problem")
    #expect(watches(of: process.id) > 1)
    try home.write("number = 2\n")
    #expect(process.nextLine() == "number 2")
  }

  @Test(arguments: [4, 5, 6, 7, 8, 12])
  func `a process that may open few files says what is wrong, and is well when it may open more`(_ most: Int) throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let stress = ChildProcess.product("settings-stress")
    let script = "ulimit -Sn \(most); exec '\(stress)' plainly '\(home.file)'"
    let process = try RunningProcess("/bin/sh", ["-c", script], environment: home.environment)
    var lines: [String] = []
    func read(until wanted: String) {
      while lines.last != wanted {
        guard let line = process.nextLine() else {
          Issue.record("'\(wanted)' did not come after \(lines)")
          return
        }
        lines.append(line)
      }
    }
    // Three are taken from the start, and the hub needs four. Who gets the last ones first is open.
    if most >= 7 {
      read(until: "number 1")
    } else {
      while !lines.contains(where: { $0.hasPrefix("problem Cannot watch '") }) {
        guard let line = process.nextLine() else { break }
        lines.append(line)
      }
      let problem = lines.first { $0.hasPrefix("problem Cannot watch '") }
      #expect(problem?.contains("this process has reached its limit of open files; raise it, 'ulimit -n'") == true)
      #expect(problem?.hasSuffix("Changes are looked for once a second instead.") == true)
      #expect(
        try ChildProcess.run(
          "/usr/bin/env", ["prlimit", "--pid", "\(process.id)", "--nofile=256:"], environment: home.environment
        ).status == 0)
      read(until: "no problem")
      #expect(watches(of: process.id) > 1)
    }
    try home.write("number = 2\n")
    read(until: "number 2")
    process.signal(SIGTERM)
    #expect(process.wait() == SIGTERM)
  }

  @Test func `where no thread could be started for watching, the next observation starts one for all`() throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let stress = ChildProcess.product("settings-stress")
    // The superuser may have any number of threads: a user without any other process it is then.
    let asOther = ["setpriv", "--reuid=65533", "--clear-groups"]
    for path in [home.path, home.path + "/config", (home.file as NSString).deletingLastPathComponent] {
      chmod(path, 0o755)
    }
    chmod(home.file, 0o644)
    guard
      geteuid() == 0,
      try ChildProcess.run("/usr/bin/env", asOther + [stress, "unknown"], environment: home.environment).error
        .contains("unknown verb")
    else { return print("Another user is not to be had here, or may not run '\(stress)'.") }
    let process = try RunningProcess(
      "/usr/bin/env", ["prlimit", "--nproc=1:64"] + asOther + [stress, "plainly", home.file],
      environment: home.environment)
    #expect(process.nextLine() == "number 1")
    #expect(process.nextLine()?.hasPrefix("problem Cannot watch '\(home.file)': no thread could be started (") == true)
    try home.write("number = 2\n")
    #expect(
      try ChildProcess.run(
        "/usr/bin/env", asOther + ["prlimit", "--pid", "\(process.id)", "--nproc=64:"], environment: home.environment
      ).status == 0)
    try home.write("", to: home.file + ".again")
    #expect(Set([process.nextLine(), process.nextLine()]) == ["no problem", "number 2"])
    try home.write("number = 3\n")
    #expect(process.nextLine() == "number 3")
  }

  /// How many inotify watches a process has.
  private func watches(of process: Int32) -> Int {
    let directory = "/proc/\(process)/fdinfo"
    return ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).reduce(0) { count, file in
      let text = (try? String(contentsOfFile: "\(directory)/\(file)", encoding: .utf8)) ?? ""
      return count + text.split(separator: "\n").filter { $0.hasPrefix("inotify wd:") }.count
    }
  }

  @Test func `a directory that may be passed but not read is seen to move, at once and without a problem`() throws {
    let home = ScratchHome()
    let stress = ChildProcess.product("settings-stress")
    // The superuser may read everything: another user it is then.
    let asOther = geteuid() == 0 ? ["setpriv", "--reuid=65534", "--clear-groups"] : []
    try home.write("number = 1\n", to: home.path + "/a/b/c/settings.toml")
    try home.write("number = 2\n", to: home.path + "/new/b/c/settings.toml")
    chmod(home.path, 0o755)
    chmod(home.path + "/a", 0o311)
    chmod(home.path + "/new", 0o311)
    guard
      try ChildProcess.run("/usr/bin/env", asOther + [stress, "unknown"], environment: home.environment).error
        .contains("unknown verb")
    else { return print("Another user is not to be had here, or may not run '\(stress)'.") }
    let process = try RunningProcess(
      "/usr/bin/env", asOther + [stress, "watch", home.path + "/a/b/c/settings.toml"], environment: home.environment)
    #expect(process.nextLine() == "number 1")
    rename(home.path + "/a", home.path + "/old")
    rename(home.path + "/new", home.path + "/a")
    #expect(process.nextLine() == "number 2")
    try home.write("number = 3\n", to: home.path + "/old/b/c/settings.toml")
    try home.write("number = 4\n", to: home.path + "/a/b/c/settings.toml")
    #expect(process.nextLine() == "number 4")
    process.signal(SIGTERM)
    process.wait()
  }

  @Test func `with 1,100 files open changes are still told at once`() throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let process = try RunningProcess(
      ChildProcess.product("settings-stress"), ["watch", home.file, "1100"], environment: home.environment)
    #expect(process.nextLine() == "number 1")
    for number in 2...20 {
      try home.write("number = \(number)\n")
      #expect(process.nextLine() == "number \(number)")
    }
    process.signal(SIGTERM)
    process.wait()
  }
}
