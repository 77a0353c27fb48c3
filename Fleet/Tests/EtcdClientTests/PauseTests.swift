import EtcdClient
import EtcdTesting
import Foundation
import Testing

extension ClusterTests.InTurn {
  struct PauseTests {
    @Test func `no thread of a paused member runs`() async throws {
      try await withCluster { cluster in
        let member = cluster.members[0]
        let pid = try #require(member.pid)
        try await cluster.withClient { client in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
              group.addTask { while !Task.isCancelled { _ = try? await client.put("pause/\(writer)", "1") } }
            }
            for _ in 0..<100 {
              // Something has been written since the last pause, and more is being written.
              let revision = try await client.range(EtcdRange(.key("pause"))).header.revision
              while try await client.range(EtcdRange(.key("pause"))).header.revision == revision {}
              member.pause()
              let states = try Self.states(of: pid)
              #expect(states.subtracting(["T"]).isEmpty)
              member.resume()
            }
            group.cancelAll()
          }
        }
      }
    }

    /// The states of a process's threads: proc_pid_stat(5).
    private static func states(of pid: Int32) throws -> Set<Character> {
      let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task")
      return try Set(
        threads.compactMap { thread in
          let text = try String(contentsOfFile: "/proc/\(pid)/task/\(thread)/stat", encoding: .utf8)
          // The name before it is in parentheses and may contain some.
          return text.lastIndex(of: ")").flatMap { text[$0...].dropFirst(2).first }
        })
    }
  }
}
