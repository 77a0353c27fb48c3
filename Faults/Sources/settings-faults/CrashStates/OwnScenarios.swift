import CrashStates
import Glibc
import SettingsTOML

/// Every operation of `settings-cli` and of apps that writes.
///
/// A new part that writes files adds its scenarios to ``all``.
struct OwnScenarios {
  private typealias Step = CrashScenario.Step

  /// The path of `settings-cli`; `nil` if it was not built.
  static let cli: String? = {
    let beside = Files.directory(of: Worker.executable) + "/settings-cli"
    return access(beside, X_OK) == 0 ? beside : nil
  }()

  private static let file = "config/\(CrashWorker.app)/settings.toml"
  private static let declared = "config/\(CrashWorker.app)/settings.d/10-base.toml"
  private static let garage = "data/\(CrashWorker.app)/garage.toml"
  private static let comments = String(
    repeating: "# Kept by hand: every byte of this line has to stay as it is.\n", count: 70)
  /// Two blocks.
  private static let text = comments + "n = 1\ncolour = \"red\"  # kept\n"
  private static let broken = "n = 1\ncolour = \"red\n"

  static var all: [CrashScenario] { sets + others + foreign + migrations + recoveries + garages }

  /// A set whose syncs strace leaves out, while the process is told that they succeed.
  static var control: CrashScenario {
    CrashScenario(
      title: "control", file: file, prepare: { place(text, $0) },
      steps: { home in
        var step = cli(home, "set", "n", "5")
        step.injection = "fsync,fdatasync:retval=0"
        return [step]
      })
  }

  // MARK: Settings

  private static var sets: [CrashScenario] {
    [
      CrashScenario(
        title: "set, no directory yet", file: file, prepare: { _ in },
        steps: { [cli($0, "set", "n", "5")] }, isShort: true, isInterrupted: true),
      CrashScenario(
        title: "set", file: file, prepare: { place(text, $0) }, steps: { [cli($0, "set", "n", "5")] }, isShort: true,
        isInterrupted: true),
      CrashScenario(
        title: "set of several keys", file: file, prepare: { place(text, $0) },
        steps: { [cli($0, "set", "n=5", "m=6", "table.x=7")] }),
      CrashScenario(
        title: "unset", file: file, prepare: { place(text, $0) }, steps: { [cli($0, "unset", "n")] },
        isInterrupted: true),
      CrashScenario(
        title: "set in a file of six blocks", file: file,
        prepare: { place(comments + comments + comments + comments + text, $0) },
        steps: { [cli($0, "set", "m", "5")] }),
      CrashScenario(
        title: "transaction", file: file, prepare: { place(text, $0) }, steps: { [worker($0, "transaction")] }),
      CrashScenario(
        title: "three sets of one app", file: file, prepare: { place(text, $0) },
        steps: { [worker($0, "sets", acknowledging: .output)] }),
      CrashScenario(
        title: "background writes and a flush", file: file, prepare: { place(text, $0) },
        steps: { [worker($0, "flush")] }),
      CrashScenario(
        title: "set in a profile", file: "config/\(CrashWorker.app)/profiles/work.toml",
        prepare: { home in
          Files.makeDirectory(home.path + "/config/\(CrashWorker.app)/profiles")
          Files.makeDirectory(home.path + "/state/app-settings/profiles")
          Files.write(text, to: home.path + "/config/\(CrashWorker.app)/profiles/work.toml")
          Files.write("active = \"work\"\n", to: home.path + "/state/app-settings/profiles/\(CrashWorker.app).toml")
        }, steps: { [cli($0, "set", "n", "5")] }, isInterrupted: true),
      CrashScenario(
        title: "set after a declared directory was replaced", file: file,
        prepare: { home in
          place(text, home)
          try placeDeclared("n = 2\n", home)
          Files.makeDirectory(home.path + "/new")
          Files.write("n = 3\nm = 4\n", to: home.path + "/new/10-base.toml")
          try link("../../new", home.path + "/config/\(CrashWorker.app)/.next")
        },
        steps: { home in
          let folder = "$HOME/config/\(CrashWorker.app)"
          return [foreign(home, "mv -T \"\(folder)/.next\" \"\(folder)/settings.d\""), cli(home, "set", "n", "5")]
        }, isInterrupted: true),
      CrashScenario(
        title: "adopt", file: file,
        prepare: { home in
          place(text, home)
          Files.makeDirectory(home.path + "/config/\(CrashWorker.app)/settings.d")
          Files.write("n = 2\n", to: home.path + "/" + declared)
        }, steps: { [cli($0, "adopt", "n")] },
        // The value that is moved is in one of the two files, or in both.
        holds: { state, _ in
          [file, declared].contains { name in
            state.bytes(at: name).flatMap { try? TOMLDocument(parsing: $0) }?.root["n"] == .integer(1)
          }
        }, isInterrupted: true),
      CrashScenario(
        title: "set through a link to the file", file: "real/settings.toml",
        prepare: { home in
          Files.makeDirectory(home.path + "/config/\(CrashWorker.app)")
          Files.makeDirectory(home.path + "/real")
          Files.write(text, to: home.path + "/real/settings.toml")
          try link("../../real/settings.toml", home.path + "/" + file)
        }, steps: { [cli($0, "set", "n", "5")] }, isInterrupted: true),
      CrashScenario(
        title: "set through a link to the directory", file: "real/settings.toml",
        prepare: { home in
          Files.makeDirectory(home.path + "/config")
          Files.makeDirectory(home.path + "/real")
          Files.write(text, to: home.path + "/real/settings.toml")
          try link("../real", home.path + "/config/\(CrashWorker.app)")
        }, steps: { [cli($0, "set", "n", "5")] }),
    ]
  }

  private static var others: [CrashScenario] {
    [
      CrashScenario(
        title: "import --replace", file: file,
        prepare: { home in
          place(text, home)
          Files.write("{\"n\": 5, \"m\": 6}\n", to: home.aside + "/import.json")
        }, steps: { [cli($0, "import", $0.aside + "/import.json", "--replace")] }, keepsFormer: true,
        isInterrupted: true),
      CrashScenario(
        title: "edit", file: file, prepare: { place(text, $0) }, steps: { [edit($0)] }, keepsFormer: true,
        isInterrupted: true),
    ]
  }

  /// A set of a value that the file already holds, written by a program that did not sync it.
  private static var foreign: [CrashScenario] {
    let new = text.replacing("n = 1", with: "n = 5")
    func prepare(_ home: Home) {
      place(text, home)
      Files.write(new, to: home.path + "/draft.toml")
    }
    return [
      CrashScenario(
        title: "equal set after an editor's save in place", file: file, prepare: prepare,
        steps: { home in
          [
            foreign(home, "cat \"$HOME/draft.toml\" >\"$HOME/\(file)\""), cli(home, "set", "n", "5"),
          ]
        }, beginsForeign: true, isShort: true),
      CrashScenario(
        title: "equal set after an editor's rename", file: file, prepare: prepare,
        steps: { home in
          [foreign(home, "mv \"$HOME/draft.toml\" \"$HOME/\(file)\""), cli(home, "set", "n", "5")]
        }, beginsForeign: true),
      // The editor acknowledges first, when its text is synced: from then on that is in the file, or in one of its own.
      CrashScenario(
        title: "set that meets an editor's save", file: file, prepare: { place(text, $0) },
        steps: { [worker($0, "meet", acknowledging: .output)] },
        holds: { state, passed in
          passed == 0
            || ["config", "state"].flatMap { state.files(below: $0) }.contains { held in
              (try? TOMLDocument(parsing: held.bytes))?.root["colour"] == .string("blue")
            }
        }, beginsForeign: true, isShort: true),
    ]
  }

  // MARK: Migrations

  private static var migrations: [CrashScenario] {
    func undone(_ home: Home) throws {
      place(text, home)
      prepareSchema(home)
      try prepareBy(cli(home, "migrate", "--schema", home.aside + "/schema.toml"))
    }
    return [
      CrashScenario(
        title: "migration by an app", file: file, prepare: { place(text, $0) }, steps: { [worker($0, "migrate")] },
        keepsFormer: true, next: .own(.migrating), isInterrupted: true),
      CrashScenario(
        title: "migrate", file: file,
        prepare: { home in
          place(text, home)
          prepareSchema(home)
        },
        steps: { [cli($0, "migrate", "--schema", $0.aside + "/schema.toml")] }, keepsFormer: true,
        next: .own(.migrating),
        isShort: true, isInterrupted: true),
      CrashScenario(
        title: "migrate --undo", file: file, prepare: undone, steps: { [cli($0, "migrate", "--undo")] },
        keepsFormer: true, next: .own(.migrating), isInterrupted: true),
    ]
  }

  // MARK: Recoveries

  private static var recoveries: [CrashScenario] {
    [
      CrashScenario(
        title: "recover", file: file, prepare: { place(broken, $0) }, steps: { [cli($0, "recover")] },
        keepsFormer: true, isShort: true, isInterrupted: true),
      CrashScenario(
        title: "recover, an equal backup exists", file: file,
        prepare: { home in
          place(broken, home)
          try prepareBy(cli(home, "recover"))
          place(broken, home)
        }, steps: { [cli($0, "recover")] }, keepsFormer: true),
      CrashScenario(
        title: "recover --restore", file: file,
        prepare: { home in
          place(text, home)
          Files.write("{\"n\": 5}\n", to: home.aside + "/import.json")
          try prepareBy(cli(home, "import", home.aside + "/import.json", "--replace"))
          place(broken, home)
        }, steps: { [cli($0, "recover", "--restore")] }, keepsFormer: true, isInterrupted: true),
    ]
  }

  // MARK: Garages

  private static var garages: [CrashScenario] {
    [
      CrashScenario(
        title: "garage park, no directory yet", file: garage, prepare: { _ in },
        steps: { [worker($0, "park", "ann")] }, next: .own(.garage)),
      CrashScenario(
        title: "garage park", file: garage, prepare: { try prepareBy(worker($0, "park", "ann")) },
        steps: { [worker($0, "park", "bob")] }, next: .own(.garage), isInterrupted: true),
    ]
  }

  // MARK: Helpers

  private static func place(_ text: String, _ home: Home) {
    Files.makeDirectory(Files.directory(of: home.path + "/" + file))
    Files.write(text, to: home.path + "/" + file)
  }

  /// A declared directory that is a link, as home-manager makes them.
  private static func placeDeclared(_ text: String, _ home: Home) throws {
    Files.makeDirectory(home.path + "/old")
    Files.write(text, to: home.path + "/old/10-base.toml")
    try link("../../old", home.path + "/config/\(CrashWorker.app)/settings.d")
  }

  private static func prepareSchema(_ home: Home) {
    Files.write(
      """
      app = "\(CrashWorker.app)"
      [[migrations]]
      version = 2
      name = "call it count"
      steps = [{ rename = "n", to = "count" }]

      """, to: home.aside + "/schema.toml")
  }

  private static func prepareBy(_ step: Step) throws {
    let end = Child.run(step.command, environment: step.environment)
    guard end.code == 0 else { throw Failure("\(step.command.joined(separator: " ")) ended with \(end.code)") }
  }

  private static func cli(_ home: Home, _ verb: String, _ arguments: String...) -> Step {
    Step(command: [cli ?? "settings-cli", verb, CrashWorker.app] + arguments, environment: home.environment)
  }

  private static func edit(_ home: Home) -> Step {
    var step = cli(home, "edit")
    step.environment["VISUAL"] = "sed -i s/red/blue/"
    return step
  }

  private static func worker(
    _ home: Home, _ verb: String, _ arguments: String..., acknowledging: CrashScenario.Step.Acknowledgement = .exit
  ) -> Step {
    Step(
      command: [Worker.executable, "worker", "crash", verb, home.path] + arguments, environment: home.environment,
      acknowledgement: acknowledging)
  }

  private static func foreign(_ home: Home, _ script: String) -> Step {
    Step(command: ["sh", "-c", script], environment: home.environment, acknowledgement: .none)
  }

  private static func link(_ target: String, _ path: String) throws {
    guard Files.link(target, path) else { throw Failure("cannot make the link \(path)") }
  }
}
