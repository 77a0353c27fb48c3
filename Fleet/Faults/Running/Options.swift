/// What to run, and how much of it.
struct Options {
  enum Amount {
    /// Each kind of fault once, in a fixed order.
    case short
    /// Rounds of random faults.
    case rounds(first: Int, count: Int)
    /// Rounds of random faults until there were so many faults.
    case faults(Int)
  }

  var amount = Amount.faults(500)
  var seed: UInt64 = 1
  /// How many fleets run side by side.
  var fleets = 3
  /// After which time no more rounds begin.
  var limit: Duration?
  /// Whether no fleet uses TLS.
  var isPlaintext = false
  /// What the names of the kinds of faults have to contain; `nil` for all.
  var only: String?

  static let usage = """
    usage: Scripts/faults --fleet [--short | --full] [--seed N] [--first N] [--count N] [--fleets N]
                                   [--plaintext] [--only TEXT] [--limit MINUTES]

      --short      each kind of fault once, in a fixed order: half a minute
      --full       10,000 faults: about 40 minutes
      --seed N     repeats the faults of a run (1)
      --first N    begins with this round of the seed (1)
      --count N    so many rounds; without it, rounds follow until there were 500 faults
      --fleets N   fleets side by side, each a cluster of three members with three machines (3)
      --plaintext  all fleets do without TLS; otherwise, every second one does
      --only TEXT  only faults with this text in their names, as Faults/fleet.md lists them; rounds without one are
                   left out
      --limit MINUTES
                   begins no more rounds after this time

    A round is some faults at once, one heal, and one check. Its seed and number say what happens in it. When exactly
    each thing happens, the machine decides. Exits 1 if anything was lost, torn, wrongly
    applied, late or slow, or if a round failed.
    """

  /// - Returns: `nil` if the arguments are not as above.
  init?(_ arguments: [String]) {
    var rest = arguments[...]
    var (first, count): (Int, Int?) = (1, nil)
    while let argument = rest.popFirst() {
      switch argument {
      case "--short": amount = .short
      case "--full": amount = .faults(10_000)
      case "--plaintext": isPlaintext = true
      case "--seed":
        guard let value = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
        seed = value
      case "--only":
        only = rest.popFirst()
        guard only != nil, Fault.Kind.allCases.contains(where: includes) else { return nil }
      case "--first", "--count", "--fleets", "--limit":
        guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else { return nil }
        switch argument {
        case "--first": (first, count) = (value, count ?? 1)
        case "--count": count = value
        case "--limit": limit = .seconds(60 * value)
        default: fleets = value
        }
      default: return nil
      }
    }
    if let count { amount = .rounds(first: first, count: count) }
  }

  /// Whether a kind of fault is wanted.
  func includes(_ kind: Fault.Kind) -> Bool { only.map(kind.rawValue.contains) ?? true }
}
