import Glibc

/// For how long this process and the members that it has started waited for a processor, with all their threads.
///
/// On a quiet machine that is next to nothing. On a busy one it is at least what the others have cost a call: what a
/// limit has to leave out so that it says something about us and not about them. Source: sched_show_task, the second
/// number of /proc/PID/task/TID/schedstat; zero where the kernel does not count it.
package enum ProcessorWait {
  package static var now: Duration {
    let pids = [getpid()] + Leftovers.members.compactMap(\.pid)
    return .nanoseconds(pids.reduce(0) { $0 + nanoseconds(of: $1) })
  }

  private static func nanoseconds(of pid: pid_t) -> Int64 {
    guard let directory = opendir("/proc/\(pid)/task") else { return 0 }
    defer { closedir(directory) }
    var sum: Int64 = 0
    while let entry = readdir(directory) {
      let thread = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { atoi($0) }
      }
      if thread > 0 { sum += wait("/proc/\(pid)/task/\(thread)/schedstat") }
    }
    return sum
  }

  private static func wait(_ path: String) -> Int64 {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    return withUnsafeTemporaryAllocation(byteCount: 100, alignment: 1) { buffer in
      let count = read(file, buffer.baseAddress, buffer.count - 1)
      let words = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
      return words.count > 1 ? Int64(words[1]) ?? 0 : 0
    }
  }
}
