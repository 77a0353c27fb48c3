import Foundation
import Testing
import TestSupport

/// What the compiler has to refuse, and has to take.
struct CompileTimeTests {
  let home = ScratchHome()

  /// Checks lines of code, each by itself.
  private func check(_ lines: [String]) throws -> ChildProcess.Result {
    let file = home.path + "/keys.swift"
    try home.write("import AppSettings\n" + lines.joined(separator: "\n") + "\n", to: file)
    let products = ChildProcess.builtProducts
    return try ChildProcess.run(
      "/usr/bin/env",
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-I", products + "/Modules", "-I",
        products + "/CSettingsSystem.build", file,
      ], environment: ProcessInfo.processInfo.environment)
  }

  @Test func `what is wrong with a key does not compile`() throws {
    let refused = [
      "let a = SettingsKey<Int>(\"key\")",
      "let b = SettingsKey<Int>(\"key\", default: \"a\")",
      "let c = SettingsKey<Int>(\"key\", default: nil)",
      "struct S {}; let d = SettingsKey<S?>(\"key\")",
      "let e = SettingsKey(\"key\", default: true, .in(1...2))",
      "let f = SettingsKey<Int>(\"key\", .in(1...2))",
      "let g = SettingsKey<Int>(\"key\", default: 1, .matching(\"a\"))",
      "func h(_ s: SettingsStore) { s[SettingsKey(\"key\", default: 1)] = \"a\" }",
    ]
    let result = try check(refused)
    for (index, code) in refused.enumerated() {
      let isRefused = result.error.split(separator: "\n").contains {
        $0.contains("keys.swift:\(index + 2):") && $0.contains("error: ")
      }
      #expect(isRefused, "\(code)\n\(result.error)")
    }
  }

  @Test func `what is right with a key compiles`() throws {
    let result = try check([
      "let a = SettingsKey<Int?>(\"key\")",
      "let b = SettingsKey(\"key\", default: 1, .in(0...2))",
      "let c = SettingsKey<Int?>(\"key\", default: 1, .in(0...2), .formerly(\"old\"), \"Text.\")",
      "let d = SettingsKey<String?>(\"key\", .secret)",
      "let e = SettingsKey<[String]>(\"key\", default: [], .count(...3), .secret, \"Text \\(1).\")",
      "let f: [SettingsKeys] = [a, b, c, d, e]",
    ])
    #expect(result.status == 0, "\(result.error)")
  }
}
