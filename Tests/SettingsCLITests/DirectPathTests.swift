import Foundation
import Testing
import TestSupport

/// `get` and `set` without options pass the argument parser by; with one they do not.
struct DirectPathTests {
  static let lines = [
    "get APP theme", "get APP recent", "get APP thme", "get APP a..b", "get APP settings-version", "get org..x theme",
    "get org.example.tset theme", "get ./none.toml a", "get APP editor", "get · ·", "set APP theme light",
    "set APP theme red", "set APP thme light", "set APP a..b 1", "set APP settings-version 3", "set org..x theme light",
    "set ./new.toml a.b 1", "set APP editor 1", "set APP editor.font-size ·13", "set · · ·", "set APP theme=light a=1",
    "set APP \"sync\".token x=y",
  ]

  @Test(arguments: lines)
  func `a command without options says and does the same as with one that means nothing`(_ line: String) throws {
    let typed = line.replacingOccurrences(of: "APP", with: MatrixHome.app)
    for state in TargetState.allCases {
      let sessions = try [typed, typed + " --color auto"].map { line in
        try MatrixHome(state).run(line)?.split(separator: "\n", maxSplits: 1).last
      }
      #expect(sessions[0] == sessions[1], "\(state)")
    }
  }
}
