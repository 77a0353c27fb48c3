import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

/// Garages on disks that are full, and in places where they may not write.
struct GarageFaultTests {
  private let home = GarageHome()
  private var directory: String { (home.file as NSString).deletingLastPathComponent }

  @Test(arguments: Syscalls.Call.allCases)
  func `whatever call fails, an update is in the file and in memory, or in neither, and the next works`(
    call: Syscalls.Call
  ) throws {
    let text = "# mine\n[Pet.1]\nid = 1\nname = \"a\"\n"
    for error in [ENOSPC, EACCES, EIO, EROFS] {
      for number in 1...12 {
        try home.home.write(text, to: home.file)
        let calls = Counter(isRunning: false)
        let garage = try home.garage(system: .failing(call, at: .from(number), with: error, counting: calls))
        #expect(try garage.retrieveAll(Pet.self).count == 1)
        calls.start()
        let found = settingsError {
          try garage.update { garage in
            try garage.park(Pet(id: 1, name: "b"))
            try garage.park(Pet(id: 2, name: "c"))
          }
        }
        calls.stop()
        let names = try garage.retrieveAll(Pet.self).map(\.name)
        let place = "\(call) \(number) \(error): \(found?.message ?? "no error")"
        switch found {
        case nil: #expect(names == ["b", "c"], "\(place)")
        // The only failure after the file was replaced, and the message says so.
        case let found? where found.message.contains("may not survive a power failure"):
          #expect(call == .fsyncDirectory && [.io, .readOnly].contains(found.code), "\(place)")
        case let found?:
          #expect([.io, .readOnly].contains(found.code), "\(place)")
          #expect(names == ["a"] && home.text == text, "\(place)")
        }
        #expect(try home.garage().retrieveAll(Pet.self).map(\.name) == names, "\(place)")
        try garage.park(Pet(id: 3, name: "d"))
        #expect(home.text?.hasPrefix("# mine\n[Pet.1]\n") == true)
        #expect(home.home.names(in: directory) == ["garage.toml"], "\(place)")
        // There was no call of this number to fail.
        if calls.value < number { break }
      }
    }
  }

  @Test func `a migration that cannot keep a backup for want of space writes nothing`() throws {
    let text = "[MCPet.1]\nid = 1\nname = \"a\"\n"
    let writes = Counter()
    let garage = try home.garage(text, system: .failing(.write, with: ENOSPC, counting: writes))
    let found = settingsError { try garage.migrateAll(recordName: "MCPet", to: Pet.self) }
    #expect(found?.code == .io && found?.message.contains("the file system is full") == true)
    #expect(home.text == text)
    writes.stop()
    #expect(try garage.migrateAll(recordName: "MCPet", to: Pet.self) == 1)
    #expect(home.text == "[Pet.1]\nid = 1\nname = \"a\"\n")
  }

  @Test func `while another holds the lock longer than one waits, parking says who to look for`() throws {
    let garage = try home.garage("[Pet.1]\nid = 1\nname = \"a\"\n", lockTimeout: .milliseconds(20))
    let system = Syscalls()
    let lock = try system.openToLock(directory)
    #expect(try system.tryLock(lock, path: directory))
    let found = settingsError { try garage.park(Pet(id: 2, name: "b")) }
    system.close(lock, unlocks: true)
    #expect(found?.code == .lockTimeout)
    #expect(
      found?.message
        == "Cannot lock '\(directory)': another process has held its lock for 0.02 seconds. Nothing was written. "
        + "'fuser -v \(directory)' names the processes that have it open.")
    try garage.park(Pet(id: 2, name: "b"))
    #expect(try garage.retrieveAll(Pet.self).map(\.id) == [1, 2])
  }

  // MARK: In earnest

  /// Runs a script as `sh -eu` with `$probe`, `$file` and `$dir`.
  private func shell(_ script: String, in way: String = "sh") throws -> ChildProcess.Result {
    var environment = home.home.environment
    environment["probe"] = ChildProcess.product("settings-probe")
    environment["file"] = home.file
    environment["dir"] = directory
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let path = home.home.path + "/script"
    try home.home.write("set -eu\n" + script, to: path)
    return try ChildProcess.shell("\(way) '\(path)'", environment: environment)
  }

  @Test func `on a disk that is full parking fails, what is there stays, and goes on when there is room`() throws {
    let way = geteuid() == 0 ? "unshare --mount --propagation private sh" : "unshare --map-root-user --mount sh"
    let result = try shell(
      """
      mount -t tmpfs -o size=128k none "$dir" || exit 77
      "$probe" park-many "$file" 0 5
      cp "$file" "$dir/../before"
      dd if=/dev/zero of="$dir/filler" bs=1k 2>/dev/null && exit 2
      "$probe" park-many "$file" 5 1 && exit 3
      cmp "$file" "$dir/../before" || exit 4
      test "$(ls "$dir" | tr '\\n' ' ')" = "filler garage.toml " || exit 5
      rm "$dir/filler"
      "$probe" park-many "$file" 5 5
      test "$(grep -c '^id' "$file")" = 10 || exit 6
      """, in: way)
    // Where nothing may be mounted, it cannot be tried.
    guard result.status != 77, result.status != 1 || !result.error.contains("unshare") else { return }
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("the file system is full. The file is unchanged."), "\(result.error)")
  }

  @Test func `who may not write is told so, and reads all the same`() throws {
    let garage = try home.garage("[Person.0]\nid = 0\nage = 7\n")
    #expect(try garage.retrieveAll(Person.self, onUnreadable: { _ in }).isEmpty)
    for path in [home.home.path, home.home.path + "/data", directory] { chmod(path, 0o755) }
    chmod(home.file, 0o444)
    let script = "test -x \"$probe\" || exit 77\n\"$probe\" park-many \"$file\" 5 1 && exit 2\nexit 0"
    let asOther = "setpriv --reuid=65534 --regid=65534 --clear-groups sh"
    if geteuid() != 0 { chmod(directory, 0o555) }
    let result = try shell(script, in: geteuid() == 0 ? asOther : "sh")
    guard result.status != 77 else { return }
    #expect(result.status == 0, "\(result.error)")
    #expect(result.error.contains("mode does not allow it"), "\(result.error)")
    #expect(home.text == "[Person.0]\nid = 0\nage = 7\n")
    #expect(home.home.names(in: directory) == ["garage.toml"])
  }
}
