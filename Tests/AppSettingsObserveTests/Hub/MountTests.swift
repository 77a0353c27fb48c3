import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct MountTests {
  @Test func `a mount over a watched directory is noticed, what happens in it, and its end`() throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let other = home.path + "/other/settings.toml"
    try home.write("number = 2\n", to: other)
    let directory = (home.file as NSString).deletingLastPathComponent
    func names(_ arguments: String...) -> [String] { ["unshare", "-Urm"] + arguments }
    guard
      try ChildProcess.run(
        "/usr/bin/env", names("mount", "--bind", home.path + "/other", directory), environment: home.environment
      ).status == 0
    else { return print("Mounts are not tried: user namespaces are not to be had here.") }
    // The reader is the process itself, so that ending it leaves nobody behind.
    let script = """
      {
        # Whatever becomes of the test, this ends when its directory is gone.
        until test -e '\(home.path)/mount'; do test -d '\(home.path)' || exit; sleep 0.02; done
        mount --bind '\(home.path)/other' '\(directory)'
        until test -e '\(home.path)/unmount'; do test -d '\(home.path)' || exit; sleep 0.02; done
        # Busy while the reader has a file of it open.
        until umount '\(directory)' 2>/dev/null; do test -d '\(home.path)' || exit; sleep 0.02; done
      } >/dev/null &
      exec '\(ChildProcess.product("settings-stress"))' watch '\(home.file)'
      """
    let process = try RunningProcess("/usr/bin/env", names("sh", "-c", script), environment: home.environment)
    #expect(process.nextLine() == "number 1")
    try home.write("", to: home.path + "/mount")
    #expect(process.nextLine() == "number 2")
    try home.write("number = 3\n", to: other)
    #expect(process.nextLine() == "number 3")
    try home.write("number = 4\n")
    try home.write("", to: home.path + "/unmount")
    #expect(process.nextLine() == "number 4")
    process.signal(SIGTERM)
    process.wait()
  }

  @Test func `a file system that is mounted and unmounted under the watches is noticed`() throws {
    let home = ScratchHome()
    try home.write("number = 1\n")
    let directory = (home.file as NSString).deletingLastPathComponent
    // What is in the mount only this process's kin can see and write.
    let script = """
      mount -t tmpfs none '\(directory)' && umount '\(directory)' && echo mounts || exit
      step() { until test -e '\(home.path)/'$1; do test -d '\(home.path)' || exit; sleep 0.02; done; }
      {
        step mount
        mount -t tmpfs none '\(directory)'
        echo 'number = 2' > '\(home.file)'
        step change
        echo 'number = 3' > '\(home.file).new'
        mv '\(home.file).new' '\(home.file)'
        step unmount
        until umount '\(directory)' 2>/dev/null; do test -d '\(home.path)' || exit; sleep 0.02; done
      } >/dev/null &
      exec '\(ChildProcess.product("settings-stress"))' watch '\(home.file)'
      """
    let process = try RunningProcess(
      "/usr/bin/env", ["unshare", "-Urm", "sh", "-c", script], environment: home.environment)
    guard process.nextLine() == "mounts" else {
      return print("Mounts are not tried: user namespaces are not to be had here.")
    }
    #expect(process.nextLine() == "number 1")
    var wanted = 2
    for step in ["mount", "change"] {
      try home.write("", to: home.path + "/" + step)
      var line = process.nextLine()
      // The new file system is empty at first, and on a busy machine for long.
      if line == "number 0" { line = process.nextLine() }
      #expect(line == "number \(wanted)")
      wanted += 1
    }
    try home.write("", to: home.path + "/unmount")
    #expect(process.nextLine() == "number 1")
    process.signal(SIGTERM)
    process.wait()
  }
}
