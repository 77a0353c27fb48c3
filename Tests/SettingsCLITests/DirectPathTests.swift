import Foundation
import Testing
import TestSupport

/// `get`, `set` and `unset` without options pass the argument parser by; with one they do not.
struct DirectPathTests {
  static let lines = [
    "get APP theme", "get APP recent", "get APP thme", "get APP a..b", "get APP settings-version", "get org..x theme",
    "get org.example.tset theme", "get ./none.toml a", "get APP editor", "get · ·", "set APP theme light",
    "set APP theme red", "set APP thme light", "set APP a..b 1", "set APP settings-version 3", "set org..x theme light",
    "set ./new.toml a.b 1", "set APP editor 1", "set APP editor.font-size ·13", "set · · ·", "set APP theme=light a=1",
    "set APP \"sync\".token x=y", "set APP theme=light", "set ./new.toml a.b=1 c==", "set APP theme=light a",
    "set APP theme=light theme=light", "set APP theme = light", "set APP a b c", "set APP", "set APP =1",
    "set APP theme=", "unset APP theme", "unset APP thme", "unset APP a..b", "unset APP theme recent", "unset APP",
    "unset APP recent a..b", "unset org..x theme", "unset ./none.toml a", "unset · ·",
    "unset APP settings-version", "unset APP editor", "unset APP theme thme",
  ]

  /// Of each verb, a line that works meets every state; the others meet where it works and one of the rest.
  private static func states(for line: String) -> [TargetState] {
    let rest = TargetState.allCases.filter { $0 != .fine }
    let isForAll = TargetState.areAllRun || ["get APP theme", "set APP theme light", "unset APP theme"].contains(line)
    return [.fine] + (isForAll ? rest : [rest[lines.firstIndex(of: line)! % rest.count]])
  }

  @Test(arguments: lines)
  func `a command without options says and does the same as with one that means nothing`(_ line: String) throws {
    let typed = line.replacingOccurrences(of: "APP", with: MatrixHome.app)
    for state in Self.states(for: line) {
      let sessions = try [typed, typed + " --color auto"].map { line in
        try MatrixHome(state).run(line)?.split(separator: "\n", maxSplits: 1).last
      }
      #expect(sessions[0] == sessions[1], "\(state)")
    }
  }
}
