import Foundation
import Testing
import TestSupport

/// What the compiler reports where libinotifytools is not installed.
struct InotifyHeaderTests {
  @Test func `a missing library is one error that names the package and the trait`() throws {
    let root = #filePath.prefix(upTo: #filePath.range(of: "/Tests/")!.lowerBound)
    let result = try ChildProcess.run(
      "/usr/bin/env", ["clang", "-fsyntax-only", "-nostdinc", "-x", "c", root + "/Sources/CInotifyTools/shim.h"],
      environment: ProcessInfo.processInfo.environment)
    let errors = result.error.components(separatedBy: "\n").filter { $0.contains("error: ") }
    #expect(result.status != 0 && errors.count == 1, "\(result.error)")
    for cure in ["libinotifytools0-dev", "inotify-tools-devel", "traits: []"] {
      #expect(errors.first?.contains(cure) == true, "\(errors)")
    }
  }
}
