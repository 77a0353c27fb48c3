import AppSettings
import Foundation
import Testing
import TestSupport

/// A move of a value that another program changes in the moment of the write.
struct ForeignMoveTests {
  let home = ScratchHome()

  @Test(arguments: [Syscalls.Call.fsync, .rename])
  func `what another program has set moves`(call: Syscalls.Call) throws {
    try home.write("a = 1\nb = 1\n")
    let file = home.file
    let calls = Counter(isRunning: false)
    let system = Syscalls.before(call, at: .nth(1), counting: calls) { _ in
      try? Data("a = 2\nb = 1\n".utf8).write(to: URL(fileURLWithPath: file + ".foreign"))
      rename(file + ".foreign", file)
    }
    let settings = try home.store(system: system)
    _ = settings.snapshot.root
    calls.start()
    _ = try settings.core.commit { view in
      [Edit(path: ["c"], value: view.userDocument[["a"]], source: ["a"]), Edit(path: ["a"], value: nil)]
    }
    #expect(home.text() == "c = 2\nb = 1\n")
  }
}
