import AppSettings
import Foundation
import Testing
import TestSupport

/// Homes as they are: not made yet, linked, shared, of another user, read-only, full.
struct HomeTests {
  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }
  private let probe = ChildProcess.product("settings-probe")

  private func status(_ path: String) throws -> (mode: Int, owner: uint, group: uint) {
    var raw = stat()
    try #require(stat(path, &raw) == 0)
    return (Int(raw.st_mode & 0o7777), raw.st_uid, raw.st_gid)
  }

  /// Runs the probe as another user; `nil` where this process may not, or that user may not run it.
  private func run(as user: Int, groups: Int..., arguments: [String]) throws -> ChildProcess.Result? {
    guard geteuid() == 0 else { return nil }
    let memberships = groups.isEmpty ? "--clear-groups" : "--groups=" + groups.map(String.init).joined(separator: ",")
    let change = "setpriv --reuid=\(user) --regid=\(user) \(memberships)"
    guard try shell("\(change) test -x '\(probe)' && test -r '\(home.path)'").status == 0 else { return nil }
    return try shell("\(change) '\(probe)' " + arguments.map { "'\($0)'" }.joined(separator: " "))
  }

  private func shell(_ line: String) throws -> ChildProcess.Result {
    try ChildProcess.shell(line, environment: home.environment)
  }

  /// Runs a script in which it can mount; `nil` where this user may not.
  private func shellThatMounts(_ script: String) throws -> ChildProcess.Result? {
    let way = geteuid() == 0 ? "unshare --mount --propagation private" : "unshare --map-root-user --mount"
    guard try shell("\(way) mount -t tmpfs none /mnt").status == 0 else { return nil }
    let file = home.path + "/script"
    try home.write("set -u\nprobe='\(probe)' dir='\(directory)' file='\(home.file)'\n" + script, to: file)
    return try shell("\(way) sh '\(file)'")
  }

  // MARK: Not there yet

  @Test func `a home that does not exist is made by the first write, not by reading`() throws {
    let missing = home.path + "/not/yet"
    let location = try SettingsLocation(app: "a", environment: ["HOME": missing])
    let settings = SettingsStore(at: location, logger: .silent)
    #expect(settings[.counter] == 0)
    settings.reload()
    #expect(home.names(in: home.path) == [])
    try settings.set(1, for: .counter)
    #expect(home.text(of: missing + "/.config/a/settings.toml") == "counter = 1\n")
    #expect(try status(missing).mode == 0o700)
    #expect(home.names(in: missing) == [".config", ".local"])
  }

  @Test(arguments: [[:], ["HOME": ""], ["HOME": "relative"]])
  func `without an absolute HOME the user database decides`(variables: [String: String]) throws {
    let entry = try #require(getpwuid(geteuid()))
    let location = try SettingsLocation(app: "a", environment: variables)
    #expect(location.file == String(cString: entry.pointee.pw_dir) + "/.config/a/settings.toml")
  }

  @Test func `with umask 0 new files and directories are private all the same`() throws {
    #expect(try shell("umask 0; '\(probe)' fill '\(home.file)' x 2").status == 0)
    #expect(try status(home.file).mode == 0o600)
    #expect(try status(directory).mode == 0o700)
  }

  @Test func `state is kept apart from settings and has no layer below it`() throws {
    try home.write("counter = 5\n", to: home.path + "/etc/xdg/org.example.test/settings.toml")
    let location = try SettingsLocation(app: "org.example.test", scope: .state, environment: home.environment)
    let state = SettingsStore(at: location, logger: .silent)
    #expect(state[.counter] == 0)
    #expect(try home.store()[.counter] == 5)
    try state.set(1, for: .counter)
    #expect(home.text(of: home.path + "/state/org.example.test/settings.toml") == "counter = 1\n")
    #expect(home.text() == nil)
  }

  // MARK: Linked

  @Test func `a directory that is a link into a repository stays one, and nothing is left there`() throws {
    let repository = home.path + "/dotfiles/app"
    try home.write("counter = 1\n", to: repository + "/settings.toml")
    try FileManager.default.createDirectory(atPath: home.path + "/config", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: directory, withDestinationPath: "../dotfiles/app")
    try home.store().set(2, for: .counter)
    #expect(home.text(of: repository + "/settings.toml") == "counter = 2\n")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: directory) == "../dotfiles/app")
    #expect(home.names(in: repository) == ["settings.toml"])
  }

  // MARK: Owned

  @Test func `a write by root keeps the owner and the group`() throws {
    guard geteuid() == 0 else { return }
    try home.write("counter = 1\n")
    chmod(home.file, 0o640)
    chown(home.file, 65_534, 65_533)
    try home.store().set(2, for: .counter)
    let status = try status(home.file)
    #expect(status.owner == 65_534 && status.group == 65_533 && status.mode == 0o640)
  }

  @Test func `two users who share a file by its group go on sharing it`() throws {
    try home.write("# ours\n")
    for path in [home.path, home.path + "/config"] { chmod(path, 0o755) }
    chmod(directory, 0o777)
    chmod(home.file, 0o664)
    chown(home.file, 64_001, 64_000)
    guard let first = try run(as: 64_002, groups: 64_000, arguments: ["fill", home.file, "b", "2"]) else { return }
    #expect(first.status == 0, "\(first.error)")
    let between = try status(home.file)
    #expect(between.owner == 64_002 && between.group == 64_000 && between.mode == 0o664)
    let second = try run(as: 64_001, groups: 64_000, arguments: ["fill", home.file, "a", "1"])
    #expect(second?.status == 0)
    #expect(home.text() == "# ours\n\nb-0 = 0\nb-1 = 1\na-0 = 0\n")
  }

  @Test func `a file that only its owner may read is an error that says so, and stays`() throws {
    try home.write("counter = 1\n")
    for path in [home.path, home.path + "/config", directory] { chmod(path, 0o777) }
    chmod(home.file, 0o600)
    guard let result = try run(as: 64_002, arguments: ["fill", home.file, "x", "1"]) else { return }
    #expect(result.status != 0)
    #expect(result.error.contains("no permission"))
    #expect(home.text() == "counter = 1\n")
    #expect(home.names(in: directory) == ["settings.toml"])
  }

  @Test func `a link into a read-only store is read, never replaced`() throws {
    let store = home.path + "/store"
    try home.write("counter = 7\n", to: store + "/settings.toml")
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: home.file, withDestinationPath: store + "/settings.toml")
    for path in [home.path, home.path + "/config"] { chmod(path, 0o755) }
    chmod(directory, 0o777)
    chmod(store + "/settings.toml", 0o444)
    chmod(store, 0o555)
    guard let read = try run(as: 64_002, arguments: ["get", home.file]) else { return }
    #expect(read.output == "7\n")
    let written = try run(as: 64_002, arguments: ["fill", home.file, "x", "1"])
    #expect(written?.status != 0)
    #expect(written?.error.contains("mode does not allow it") == true)
    #expect(home.text(of: store + "/settings.toml") == "counter = 7\n")
    #expect(home.names(in: directory) == ["settings.toml"])
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: home.file) == store + "/settings.toml")
  }

  // MARK: Mounted

  @Test func `on a read-only mount reading works, and writing says why it does not`() throws {
    try home.write("counter = 7\n")
    let result = try shellThatMounts(
      """
      mount -t tmpfs none "$dir" || exit 77
      echo 'counter = 7' > "$file"
      mount -o remount,ro "$dir" || exit 77
      test "$("$probe" get "$file")" = 7 || exit 1
      "$probe" fill "$file" x 1 && exit 2
      test "$(cat "$file")" = 'counter = 7' || exit 3
      mount -o remount,rw "$dir"
      "$probe" fill "$file" x 1 || exit 4
      """)
    guard let result, result.status != 77 else { return }
    #expect(result.status == 0)
    #expect(result.error.contains("the file system is mounted read-only"))
  }

  @Test func `on a full file system writing says so, keeps the file and works again with room`() throws {
    try home.write("")
    let result = try shellThatMounts(
      """
      mount -t tmpfs -o size=64k none "$dir" || exit 77
      printf '# %5000s\\ncounter = 1\\n' kept > "$file"
      cp "$file" "$HOME/before"
      for free in 0 1; do
        head -c $((64 * 1024)) /dev/zero > "$dir/filler" 2> /dev/null
        truncate -s -$((free * 4096)) "$dir/filler"
        "$probe" fill "$file" x 1 && exit 1
        cmp "$file" "$HOME/before" || exit 2
        test "$(ls -A "$dir" | tr '\\n' ' ')" = 'filler settings.toml ' || exit 3
      done
      rm "$dir/filler"
      "$probe" fill "$file" x 1 || exit 4
      """)
    guard let result, result.status != 77 else { return }
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("the file system is full. The file is unchanged."))
  }
}
