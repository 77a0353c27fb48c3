import Foundation
import SettingsTools
import Testing
import TestSupport

/// The notes of trials, as two processes see them.
struct TrialFileTests {
  private let home = ScratchHome()

  /// The note of a trial that is kept is removed before its lock is released, and another process may have found it
  /// before that: it must not take the trial for one whose maker is gone, and take the change back.
  @Test func `a trial that ends while notes are read is not one that was abandoned`() async throws {
    let directory = home.path + "/page"
    let facts = TrialFacts(target: "org.example.test", options: [], keys: ["theme"], after: 0, process: 1)
    let ends = Task.detached {
      for _ in 0..<20 {
        var files: [TrialFile] = []
        for _ in 0..<100 { files.append(try TrialFile.make(facts, in: directory)) }
        while let file = files.popLast() { file.remove() }
      }
    }
    let reads = Task.detached {
      var abandoned = 0
      while !Task.isCancelled { abandoned += TrialFile.all(in: directory).count(where: \.isAbandoned) }
      return abandoned
    }
    try await ends.value
    reads.cancel()
    #expect(await reads.value == 0)
    #expect(!TrialFile.isAny(in: directory))
  }
}
