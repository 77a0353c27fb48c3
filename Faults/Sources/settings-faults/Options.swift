/// What to run, and how much of it.
struct Options {
  var kills = 1000
  var peerKills = 100
  var processes = 8
  var keys = 25
  var increments = 250
  var peerIncrements = 50
  var tornSeconds = 5
  var cutStep = 1
  var peerCuts = 24
  /// How many states of each scenario the next set is tried in.
  var crashStates = 300
  /// Which scenarios of crash states are tried.
  var crashScenarios = CrashScenarios.most
  /// How often each program saves in place, for each pause between sets.
  var saves = 60
  /// How often a directory is replaced, and how often a link to it.
  var replacements = 100
  /// How often each store of a shared directory is restored.
  var restores = 20
  /// How often a file is recovered and a migration undone, each with its own clock.
  var clocks = 30
  var forks = 20
  /// The longest that one experiment may take with one system, in seconds.
  var limit = 900
  var directory: String?
  var systems: [String] = []
  var experiments: [String] = []
  var seed: UInt64?

  enum CrashScenarios {
    /// A few, and no kills.
    case few
    /// All, and for a few also kills.
    case most
    case all
  }

  static let usage = """
    usage: settings-faults [--short | --full] [OPTION VALUE]…

      --kills N             kills of a writer of this package; a fifth of them again among four writers (1000)
      --peer-kills N        the same for each other system (100)
      --processes N         writers at once (8)
      --keys N              distinct keys that each of them sets (25)
      --increments N        increments by each of them (250)
      --peer-increments N   the same for other systems (50)
      --torn-seconds N      how long a raw reader reads beside a writer (5)
      --cut-step N          cuts this package's file at every N-th byte (1)
      --peer-cuts N         lengths at which another system's file is cut (24)
      --crash-states N      states of each scenario that the next set is tried in (300)
      --saves N             saves in place by each program, for each pause between sets (60)
      --replacements N      replacements of a directory, and of a link to it, during writes (100)
      --restores N          restores of each store of a shared directory (20)
      --clocks N            recoveries and undos, each with its own clock (30)
      --forks N             forks during writes (20)
      --limit N             the longest for one experiment with one system, in seconds (900)
      --directory PATH      where the files are; it decides which file system is tried (the temporary directory)
      --systems A,B         only these: app-settings, git, keyfile, dconf, userdefaults
      --experiments A,B     only these: keys, counting, kills, crowd, full, readonly, cut, broken, torn,
                            crash-states, in-place, replaced, shared, clocks, forks
      --seed N              repeats the random times of a run
    """

  /// - Returns: `nil` if the arguments are not as above.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--short":
        (kills, peerKills, keys, increments, peerIncrements) = (30, 10, 5, 20, 10)
        (tornSeconds, cutStep, peerCuts) = (1, 61, 8)
        (crashStates, crashScenarios) = (12, .few)
        (saves, replacements, restores, clocks, forks) = (2, 15, 3, 4, 4)
      case "--full":
        (kills, peerKills, increments, peerIncrements) = (10_000, 300, 1000, 100)
        (tornSeconds, peerCuts) = (20, 60)
        (crashStates, crashScenarios) = (5000, .all)
        (saves, replacements, restores, clocks, forks) = (350, 1000, 200, 300, 200)
      case "--directory": directory = rest.popFirst()
      case "--systems": systems = rest.popFirst().map { $0.split(separator: ",").map(String.init) } ?? []
      case "--experiments": experiments = rest.popFirst().map { $0.split(separator: ",").map(String.init) } ?? []
      case "--seed":
        guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
        seed = value
      default:
        let numbers: [String: WritableKeyPath<Options, Int>] = [
          "--kills": \.kills, "--peer-kills": \.peerKills, "--processes": \.processes, "--keys": \.keys,
          "--increments": \.increments, "--peer-increments": \.peerIncrements, "--torn-seconds": \.tornSeconds,
          "--cut-step": \.cutStep, "--peer-cuts": \.peerCuts, "--limit": \.limit,
          "--crash-states": \.crashStates,
          "--saves": \.saves, "--replacements": \.replacements, "--restores": \.restores, "--clocks": \.clocks,
          "--forks": \.forks,
        ]
        guard let number = numbers[argument], let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
          return nil
        }
        self[keyPath: number] = value
      }
    }
  }

  func runs(_ experiment: String) -> Bool { experiments.isEmpty || experiments.contains(experiment) }
}
