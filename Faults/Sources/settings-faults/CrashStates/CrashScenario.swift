import CrashStates

/// An operation on settings whose crash states are checked.
struct CrashScenario {
  /// A command of it.
  struct Step {
    /// How the command reports that its change is durable.
    enum Acknowledgement {
      /// Its exit code 0.
      case exit
      /// Each write to its standard output, and exit code 0.
      case output
      /// Not at all: it may fail or be killed, or makes no promise.
      case none
    }

    var command: [String]
    var environment: [String: String]
    var acknowledgement = Acknowledgement.exit
    /// Whether it may fail, and then acknowledges nothing.
    var mayFail = false
    /// What strace does to one of its calls: `fsync:signal=KILL:when=2`.
    var injection: String?
  }

  /// How the next process uses the settings that it finds.
  enum Next {
    /// A program of ours sets ``CrashWorker/nextKey``.
    case own(CrashWorker.Next)
    /// Sets something in a home, and returns whether that is there afterwards.
    case other((Home) -> Bool)
  }

  var title: String
  /// The settings file, relative to the home.
  var file: String
  /// Creates what is on disk before the recording.
  var prepare: (Home) throws -> Void
  var steps: (Home) throws -> [Step]
  /// Whether the file's former text must be in a backup, anywhere below the state directory, once the file has another.
  var keepsFormer = false
  /// What must hold in every state, apart from the file's own text, after a number of acknowledgements.
  var holds: (DiskTree, Int) -> Bool = { _, _ in true }
  var next = Next.own(.plain)
  /// Whether the first command is a program that is not ours.
  var beginsForeign = false
  /// Whether `--short` runs it, too.
  var isShort = false
  /// Whether the scenario is repeated with a first run of the command that is killed or whose sync fails.
  var isInterrupted = false
}

/// What is wrong with a state.
enum CrashFault: String, CaseIterable {
  /// An acknowledged change is not there, or neither the old nor the new file exists.
  case lost
  /// The file holds a text that nobody wrote.
  case torn
  /// The file has another text, and the former one is in no backup.
  case backupMissing = "backup missing"
  case nextSetFails = "next set fails"
  /// Temporary or unknown files exist after the next set and the next backup.
  case leftOver = "left over"
}

/// Faults of our own scenarios that are accepted, each with its reason. Any other fault fails the suite.
enum AcceptedCrashStates {
  static let all: [(scenario: String, fault: CrashFault, promise: CrashEnumerator.Promise, reason: String)] =
    CrashEnumerator.Promise.allCases.map { promise in
      (
        "migration by an app, again after a kill or an error", .lost, promise,
        "The second start finds the file migrated, and only reads it. Reading promises nothing and syncs nothing: after a "
          + "power failure the old file is there, whole, and is migrated again. Hooks run after a sync of their own."
      )
    }
    + ["adopt", "adopt, again after a kill or an error"].flatMap { scenario in
      CrashEnumerator.Promise.allCases.map { promise in
        (
          scenario, .leftOver, promise,
          "It writes two files. What it leaves beside the declared one is removed by the next write of that file; the next "
            + "set writes the other one. No reader takes it for a declared file: its name does not end in '.toml'."
        )
      }
    }

  static func contains(_ scenario: String, _ fault: CrashFault, _ promise: CrashEnumerator.Promise) -> Bool {
    all.contains { $0.scenario == scenario && $0.fault == fault && $0.promise == promise }
  }
}
