import EtcdTesting
import Foundation
import Glibc

/// Namespaces of the suite's own for mounts, the network and processes: whatever it makes goes when it ends, however it
/// ends.
enum Sandbox {
  private static let mark = "SETTINGS_FLEET_FAULTS"
  /// Where its temporary directories are, in memory; those of the clusters, too.
  static let root = "/mnt"

  static var isPrivate: Bool { ProcessInfo.processInfo.environment[mark] == "private" }
  private static var isInside: Bool { ProcessInfo.processInfo.environment[mark] != nil }

  /// Starts this program again within namespaces, or without them where they are not permitted, and ends with it.
  /// Returns in the one that is within.
  static func enter() throws {
    if isInside { return followParent() }
    let script =
      "ip link set lo up && mount -t tmpfs -o size=4g,mode=1777 none \(root) && mount -t tmpfs none /dev/shm && "
      + "cd \(root) && \"$@\"; exit $?"
    let namespaces = ["--mount", "--propagation", "private", "--net", "--pid", "--fork", "--mount-proc"]
    for unshare in [["unshare"], ["unshare", "--map-root-user"]] {
      let words = unshare + namespaces
      guard run(words + ["sh", "-c", script, "sh", "true"], mark: nil, isQuiet: true) == 0 else { continue }
      exit(run(words + ["sh", "-c", script, "sh"] + own, mark: "private"))
    }
    exit(run(own, mark: "open"))
  }

  /// The path of this program.
  static let program: String = {
    var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    return String(decoding: path[..<max(0, length)], as: UTF8.self)
  }()

  private static var own: [String] { [program] + CommandLine.arguments.dropFirst() }

  /// Ends when the process that started this one does: its end of the pipe is closed then.
  private static func followParent() {
    // A key that ends the whole group ends the parent.
    for number in [SIGINT, SIGHUP] { signal(number, SIG_IGN) }
    Thread.detachNewThread {
      var byte: UInt8 = 0
      while true {
        let count = read(0, &byte, 1)
        if count == 0 || (count < 0 && errno != EINTR) { exit(130) }
      }
    }
  }

  private static func run(_ words: [String], mark: String?, isQuiet: Bool = false) -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    var environment = ProcessInfo.processInfo.environment
    environment["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    if let mark { environment[Self.mark] = mark }
    if mark == "private" { environment["TMPDIR"] = root }
    process.environment = environment
    let pipe = Pipe()
    process.standardInput = pipe
    if isQuiet {
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
    }
    guard (try? process.run()) != nil else { return 127 }
    process.waitUntilExit()
    withExtendedLifetime(pipe) {}
    return process.terminationReason == .exit ? process.terminationStatus : 130
  }
}
