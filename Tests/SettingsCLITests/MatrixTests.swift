import Foundation
import Testing
import TestSupport

/// Every verb in every state of its target: exact output, errors, exit status and file.
///
/// The sessions are in `Fixtures/Matrix`, one file a verb. With `RECORD_SNAPSHOTS=1` in the environment they are written
/// anew, to be read before they are committed.
struct MatrixTests {
  /// What is typed for a verb in each state; `APP` is the app, and `OTHER` one without a schema.
  struct Row: Sendable, CustomTestStringConvertible {
    var verb: String
    var lines: [TargetState: [String]]
    var testDescription: String { verb }
  }

  private static let broken = "EDITOR=sed·-i·'2s/.*/theme·=·=/'"

  static let rows: [Row] = [
    Row(
      verb: "get",
      lines: [
        .fine: ["get APP theme", "get APP theme --json", "get APP sync.token", "get ./none.toml a --default b"],
        .noValue: ["get APP recent", "get APP recent --default none", "get ./none.toml a"],
        .usage: [
          "get", "get APP", "get APP a b", "get APP theme --toml --json", "get APP theme --jsno", "get APP a..b",
          "get APP a --default b --default=c", "get APP theme --json --json --default --default",
        ],
        .unknown: ["get APP thme", "get org.example.tset theme", "get ../x theme", "get org..x theme"],
        .invalid: ["get APP theme --color sometimes"],
        .locked: ["get APP theme", "get APP theme --json"],
        .readOnly: ["get APP theme"], .unparsable: ["get APP theme"], .newer: ["get APP theme"],
      ]),
    Row(
      verb: "set",
      lines: [
        .fine: [
          "set APP theme light", "set APP theme=light editor.font-size=20", "set APP recent --append a --append b",
          "set APP sync.token - < s3cret\\n", "set ./new.toml a.b 1", "set APP theme light --dry-run",
          "set APP sync.token x --dry-run", "set APP theme light --if-unchanged absent",
        ],
        .noValue: ["set APP recent --remove a"],
        .usage: [
          "set APP", "set APP theme", "set APP theme light dark", "set APP theme=light dark", "set APP a=1 a=2",
          "set APP recent x --append y", "set APP theme --typo", "set APP theme x --type complex",
          "set APP settings-version 3",
        ],
        .unknown: ["set APP thme light", "set APP thme=1 --create", "set org..x theme light"],
        .invalid: [
          "set APP theme red", "set APP editor.font-size 100", "set APP editor.font-size large",
          "set APP theme=light editor.font-size=100", "set APP sync.token 12 --type integer",
          "set APP theme --append x",
        ],
        .locked: ["set APP theme dark", "set APP editor.font-size=20 theme=dark"],
        .readOnly: ["set APP theme light"], .unparsable: ["set APP theme light"], .newer: ["set APP theme light"],
      ]),
    Row(
      verb: "try",
      lines: [
        .fine: [
          "try APP theme light < \\n", "try APP recent ['a'] --for 0.01s", "try APP theme=light < keep\\n", "try",
          "try ./new.toml a.b 1 < \\n", "try APP theme dark < \\n",
        ],
        .usage: [
          "try APP", "try APP theme", "try APP theme light dark", "try APP theme=light editor.font-size=20",
          "try APP theme -", "try APP theme light --for soon", "try APP theme light --dry-run", "try --for 1m",
        ],
        .unknown: ["try APP thme light", "try org.example.tset theme light", "try org.example.none a 1"],
        .invalid: ["try APP theme red < \\n", "try APP sync.token x < \\n"],
        .locked: ["try APP theme dark < \\n"], .readOnly: ["try APP theme light < \\n"],
        .unparsable: ["try APP theme light < \\n"], .newer: ["try APP theme light < \\n"],
      ]),
    Row(
      verb: "forget",
      lines: [
        .fine: ["forget OTHER --yes", "forget OTHER --dry-run", "forget OTHER"],
        .usage: ["forget", "forget APP theme", "forget ./old.toml", "forget --all"],
        .unknown: ["forget org.example.tset", "forget org..x", "forget old.toml"],
        .invalid: ["forget APP --yes", "forget APP --yes=1"], .readOnly: ["forget OTHER --yes"],
      ]),
    Row(
      verb: "unset",
      lines: [
        .fine: [
          "unset APP theme editor", "unset APP sync.token --dry-run", "unset APP theme --if-unchanged absent",
          "unset APP --all", "unset APP --all --dry-run",
        ],
        .noValue: ["unset APP recent"], .usage: ["unset APP", "unset APP a..b", "unset APP theme --all"],
        .unknown: ["unset APP thme", "unset org.example.tset theme"], .invalid: ["unset APP theme --type string"],
        .locked: ["unset APP theme", "unset APP --all"], .readOnly: ["unset APP theme"],
        .unparsable: ["unset APP theme", "unset APP --all"], .newer: ["unset APP theme"],
      ]),
    Row(
      verb: "rename",
      lines: [
        .fine: [
          "rename APP theme host --create", "rename ./old.toml colour theme.accent",
          "rename APP theme host --create --if-unchanged absent",
        ],
        .noValue: ["rename APP recent theme"],
        .usage: ["rename", "rename APP theme", "rename APP theme theme", "rename APP editor editor.x"],
        .unknown: ["rename APP theme thme", "rename org.example.tset a b"],
        .invalid: ["rename APP theme editor.font-size --replace", "rename APP sync.token host --create"],
        .locked: ["rename APP theme other --create"], .readOnly: ["rename APP theme other --create"],
        .unparsable: ["rename APP theme other"], .newer: ["rename APP theme other"],
      ]),
    Row(
      verb: "find",
      lines: [
        .fine: ["find theme", "find THEME dark", "find thme", "find hunter2", "find font --json"],
        .noValue: ["find nothing like it"], .usage: ["find"], .invalid: ["find x --jsn"], .locked: ["find theme"],
        .readOnly: ["find theme"], .unparsable: ["find theme"], .newer: ["find theme"],
      ]),
    Row(
      verb: "batch",
      lines: [
        .fine: [
          "batch APP < {\"set\":\"theme\",\"value\":\"light\"}\\n{\"append\":\"recent\",\"value\":\"a\"}\\n{\"get\":\"recent\"}\\n",
          "batch APP --dry-run < {\"unset\":\"editor.font-size\"}\\n{\"set\":\"sync.token\",\"value\":\"x\"}\\n",
        ],
        .noValue: ["batch APP < {\"get\":\"recent\"}", "batch APP < {\"unset\":\"recent\"}"],
        .usage: ["batch", "batch APP a", "batch APP < set", "batch APP --if-unchanged x"],
        .unknown: ["batch APP < {\"set\":\"thme\",\"value\":1}"],
        .invalid: [
          "batch APP < {\"set\":\"editor.font-size\",\"value\":100}\\n{\"set\":\"theme\",\"value\":\"light\"}"
        ],
        .locked: ["batch APP < {\"set\":\"theme\",\"value\":\"dark\"}"],
        .readOnly: ["batch APP < {\"unset\":\"theme\"}"], .unparsable: ["batch APP < {\"unset\":\"theme\"}"],
        .newer: ["batch APP < {\"unset\":\"theme\"}"],
      ]),
    Row(
      verb: "list",
      lines: [
        .fine: [
          "list APP", "list APP editor --origin", "list APP --changed", "list APP --json", "list ./none.toml",
          "list APP --names",
        ],
        .noValue: ["list APP recent"], .usage: ["list", "list APP a b", "list APP -0 --json"],
        .unknown: ["list APP thme", "list org.example.tset"], .invalid: ["list APP --origin=yes"],
        .locked: ["list APP --origin"], .readOnly: ["list APP"], .unparsable: ["list APP"], .newer: ["list APP"],
      ]),
    Row(
      verb: "watch",
      lines: [
        .fine: ["watch APP theme --count 1"], .noValue: ["watch APP recent --count 1"],
        .usage: [
          "watch", "watch APP theme --count 0", "watch APP theme --timeout never", "watch APP theme --shell",
          "watch APP theme -- true", "watch APP theme --exec true --json", "watch APP theme --document",
          "watch APP --document --json", "watch APP --document --exec true",
        ],
        .unknown: ["watch APP thme --count 1 --timeout 0.05", "watch org..x"],
        .invalid: ["watch APP theme --count many"],
        .locked: ["watch APP theme --count 1"], .readOnly: ["watch APP theme --count 1"],
        .unparsable: ["watch APP theme --count 1"], .newer: ["watch APP theme --count 1"],
      ]),
    Row(
      verb: "edit",
      lines: [
        .fine: [
          "EDITOR=sed·-i·s/dark/light/ edit APP", "EDITOR=true edit APP", "edit APP --text - < theme='light'\\n",
        ],
        .noValue: ["VISUAL= EDITOR= edit APP"],
        .usage: [
          "edit", "edit APP theme", "EDITOR=false edit APP", "EDITOR=/no/editor edit APP", "edit APP --json",
          "edit APP --if-unchanged absent", "edit APP --text ./none.toml", "edit APP --text - --if-unchanged x",
        ],
        .unknown: ["EDITOR=sed·-i·s/theme/thme/ edit APP"],
        .invalid: [
          "EDITOR=sed·-i·s/dark/red/ edit APP", "\(broken) edit APP", "edit APP --text - --json < theme='red'",
          "edit APP --text - < theme='red'", "edit APP --text - < theme==", "edit APP --text - --json < theme==",
          "edit APP --text - < theme='(not·in·the·history)'",
        ],
        .locked: ["EDITOR=sed·-i·s/dark/light/ edit APP", "EDITOR=sed·-i·s/14/16/ edit APP"],
        .readOnly: ["EDITOR=sed·-i·s/dark/light/ edit APP"],
        .unparsable: ["EDITOR=sed·-i·2d edit APP", "EDITOR=sed·-i·s/dark/light/ edit APP"],
        .newer: ["EDITOR=sed·-i·s/dark/light/ edit APP"],
      ]),
    Row(
      verb: "diff",
      lines: [
        .fine: ["diff APP", "diff APP old.ini", "diff APP --exit-code"], .noValue: ["diff APP --backup"],
        .usage: ["diff", "diff APP old.ini --backup"], .unknown: ["diff org.example.tset", "diff APP none.toml"],
        .invalid: ["diff APP --backup=1"], .locked: ["diff APP"], .readOnly: ["diff APP"],
        .unparsable: ["diff APP", "diff APP old.ini"], .newer: ["diff APP"],
      ]),
    Row(
      verb: "export",
      lines: [
        .fine: ["export APP", "export APP --json --secrets", "export APP editor --env", "export APP --all-layers"],
        .noValue: ["export APP recent"],
        .usage: ["export", "export APP --json --env"], .unknown: ["export APP thme", "export org.example.tset"],
        .invalid: ["export APP --xml"], .locked: ["export APP theme"], .readOnly: ["export APP theme"],
        .unparsable: ["export APP"], .newer: ["export APP"],
      ]),
    Row(
      verb: "import",
      lines: [
        .fine: [
          "import APP old.ini --map view.size=editor.font-size --replace", "import APP old.ini --dry-run",
          "import APP - --format env < THEME='light'\\n",
        ],
        .noValue: ["import APP none.ini"],
        .usage: ["import APP", "import APP old.txt", "import APP old.ini --map x", "import APP old.ini --format yaml"],
        .unknown: ["import org..x old.ini"],
        .invalid: [
          "import APP - --format json < {", "import APP - --format json < {\"theme\":\"red\"}",
          "import APP - --format json --replace < {\"theme\":\"red\",\"recent\":[\"a\",1],\"new\":true}",
          "import APP - --format json --replace < {\"theme\":\"red\"}",
        ],
        .locked: ["import APP old.ini --map view.size=theme --replace"],
        .readOnly: ["import APP old.ini"], .unparsable: ["import APP old.ini"], .newer: ["import APP old.ini"],
      ]),
    Row(
      verb: "migrate",
      lines: [
        .fine: ["migrate APP", "migrate APP --status", "migrate APP --dry-run"], .noValue: ["migrate APP --undo"],
        .usage: ["migrate", "migrate APP --status --undo", "migrate APP --to x", "migrate APP --to 9"],
        .unknown: ["migrate org.example.tset", "migrate ./old.toml --schema ./none.toml"],
        .invalid: ["migrate APP --to=0"], .locked: ["migrate APP"], .readOnly: ["migrate APP"],
        .unparsable: ["migrate APP"], .newer: ["migrate APP", "migrate APP --status"],
      ]),
    Row(
      verb: "recover",
      lines: [
        .fine: ["recover APP"], .noValue: ["recover ./none.toml"], .usage: ["recover", "recover APP theme"],
        .unknown: ["recover org..x"], .invalid: ["recover APP --restore=yes"], .locked: ["recover APP"],
        .readOnly: ["recover APP"], .unparsable: ["recover APP", "recover APP --restore"], .newer: ["recover APP"],
      ]),
    Row(
      verb: "log",
      lines: [
        .fine: ["log APP", "log APP theme --json", "log APP --since 1d --limit 1"],
        .noValue: ["log APP recent", "log ./none.toml", "log APP --since 9000-01-01"],
        .usage: ["log", "log APP a b", "log APP --since soon", "log APP --limit 0", "log APP a..b"],
        .unknown: ["log APP thme", "log org.example.tset"], .invalid: ["log APP --json=1"], .locked: ["log APP theme"],
        .unparsable: ["log APP --limit 2"], .newer: ["log APP theme"],
      ]),
    Row(
      verb: "blame",
      lines: [
        .fine: ["blame APP", "blame APP editor --json"], .noValue: ["blame APP recent"],
        .usage: ["blame", "blame APP a b"], .unknown: ["blame APP thme", "blame org.example.tset"],
        .invalid: ["blame APP --jsn"], .locked: ["blame APP theme"], .unparsable: ["blame APP"],
        .newer: ["blame APP"],
      ]),
    Row(
      verb: "redo",
      lines: [
        .fine: ["redo APP", "redo APP theme"], .usage: ["redo", "redo APP a b", "redo APP #1"],
        .unknown: ["redo APP thme", "redo org.example.tset"], .invalid: ["redo APP theme --if-unchanged x"],
        .locked: ["redo APP theme"], .readOnly: ["redo APP"], .unparsable: ["redo APP"], .newer: ["redo APP"],
      ]),
    Row(
      verb: "undo",
      lines: [
        .fine: [
          "undo APP", "undo APP theme", "undo APP #1", "undo APP --entry 3 --dry-run", "undo APP #1 --json --dry-run",
        ],
        .noValue: ["undo APP recent", "undo APP sync.token", "undo APP #9", "undo ./none.toml"],
        .usage: ["undo", "undo APP a b", "undo APP #x", "undo APP #1 --entry 1", "undo APP --entry=-1"],
        .unknown: ["undo APP thme", "undo org.example.tset"],
        .invalid: ["undo APP theme --if-unchanged x", "undo APP theme --if-unchanged absent"],
        .locked: ["undo APP theme", "undo APP editor.font-size"], .readOnly: ["undo APP"], .unparsable: ["undo APP"],
        .newer: ["undo APP"],
      ]),
    Row(
      verb: "at",
      lines: [
        .fine: [
          "at APP #0", "at APP #2 theme", "at APP #1 theme --json", "at APP --entry 1 --diff", "at APP 0s editor",
        ],
        .noValue: ["at APP #1 recent", "at APP #2 sync.token", "at APP 1w", "at APP #9", "at ./none.toml #1"],
        .usage: ["at", "at APP", "at APP soon", "at APP #1 --json", "at APP #1 theme --diff --toml"],
        .unknown: ["at APP #1 thme", "at org.example.tset #1"], .invalid: ["at APP #1 --json=1"],
        .locked: ["at APP #1 theme"], .readOnly: ["at APP #1 theme"], .unparsable: ["at APP #3"],
        .newer: ["at APP #3 theme"],
      ]),
    Row(
      verb: "path",
      lines: [
        .fine: ["path APP", "path ./x/./y.toml"], .noValue: ["path org.example.other"],
        .usage: ["path", "path APP theme"],
        .unknown: ["path org..x", "path -- -x"], .invalid: ["path APP --json"], .locked: ["path APP"],
        .readOnly: ["path APP"], .unparsable: ["path APP"], .newer: ["path APP"],
      ]),
    Row(
      verb: "describe",
      lines: [
        .fine: ["describe APP theme", "describe APP editor --json", "describe APP", "describe APP --document"],
        .noValue: ["describe APP recent", "describe ./none.toml a", "describe ./none.toml --document"],
        .usage: [
          "describe", "describe APP a b", "describe APP a..b", "describe APP theme --document",
          "describe APP --document --json",
        ],
        .unknown: ["describe APP thme", "describe org.example.tset"], .invalid: ["describe APP --json=1"],
        .locked: ["describe APP theme"], .readOnly: ["describe APP theme"],
        .unparsable: ["describe APP theme", "describe APP --document"],
        .newer: ["describe APP theme"],
      ]),
    Row(
      verb: "check",
      lines: [
        .fine: ["check APP", "check APP --json", "check --all", "check ./old.toml --schema ./schema.toml"],
        .noValue: ["check ./none.toml"],
        .usage: ["check", "check APP theme", "check APP --schema", "check APP --all"],
        .unknown: ["check org.example.tset", "check APP --schema ./none.toml", "check org..x"],
        .invalid: ["check ./wrong.toml --schema ./schema.toml", "check APP --schema ./wrong.toml"],
        .locked: ["check APP", "check APP --json"], .readOnly: ["check APP"],
        .unparsable: ["check APP", "check APP --json", "check --all"], .newer: ["check APP"],
      ]),
    Row(
      verb: "apps",
      lines: [
        .fine: ["apps", "apps --json"], .usage: ["apps APP"], .invalid: ["apps --jsn"], .locked: ["apps --json"],
        .readOnly: ["apps"], .unparsable: ["apps"], .newer: ["apps"],
      ]),
    Row(
      verb: "schema",
      lines: [
        .fine: ["schema APP", "schema APP --commented-defaults", "schema APP --json-schema", "schema ./schema.toml"],
        .usage: ["schema", "schema APP theme", "schema APP --markdown --json-schema"],
        .unknown: ["schema org.example.tset", "schema ./none.toml"], .invalid: ["schema ./wrong.toml"],
        .locked: ["schema APP --markdown"], .readOnly: ["schema APP --markdown"],
        .unparsable: ["schema APP --markdown"],
        .newer: ["schema APP --markdown"],
      ]),
    Row(
      verb: "page",
      lines: [
        .fine: ["page APP", "page"],
        .usage: ["page APP theme", "page --port 1 --socket s", "page --port 99999", "page old.toml"],
        .unknown: ["page org.example.tset"], .invalid: ["page --port x"],
      ]),
    Row(
      verb: "completion",
      lines: [.usage: ["completion", "completion tcsh"], .unknown: ["complet"], .fine: ["help path", "--version"]]),
  ]

  @Test(arguments: rows + layerRows)
  func `a verb answers in each state of its target as its sessions say`(_ row: Row) throws {
    var sessions = ""
    var isWhole = true
    for state in TargetState.allCases {
      guard let lines = row.lines[state] ?? Self.layerLines[row.verb]?[state] else { continue }
      sessions += "# \(state.rawValue)\n\n"
      for line in lines {
        let matrix = try MatrixHome(
          state, hasHistory: ["log", "blame", "undo", "redo", "at"].contains(row.verb), hasOther: row.verb == "forget")
        let words = line.replacing(/\bAPP\b/, with: MatrixHome.app).replacing("OTHER", with: MatrixHome.other)
        guard let session = try matrix.run(words) else {
          isWhole = false
          continue
        }
        sessions += session + "\n"
      }
    }
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Fixtures/Matrix/\(row.verb).txt")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] == "1" {
      try Data(sessions.utf8).write(to: file)
      return
    }
    let expected = try String(contentsOf: file, encoding: .utf8)
    guard isWhole else {
      // Nobody's permissions can be taken here: the rest still has to be as it was.
      for session in sessions.components(separatedBy: "\n\n") { #expect(expected.contains(session)) }
      return
    }
    for (found, wanted) in zip(sessions.components(separatedBy: "\n$ "), expected.components(separatedBy: "\n$ ")) {
      #expect(found == wanted)
    }
    #expect(sessions == expected)
  }
}
