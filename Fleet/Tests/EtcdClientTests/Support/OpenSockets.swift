import Foundation

/// How many sockets this process has open.
func openSockets() throws -> Int {
  try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    .count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix("socket:") == true
    }
}
