/// What a run did, as the tables in Faults/fleet.md.
struct Report {
  let figures: Figures.State
  let kinds: Set<Fault.Kind>
  let duration: Duration

  func print() {
    var rows = [["fault", "times"], ["---", "---:"]]
    for kind in Fault.Kind.allCases {
      rows.append([kind.rawValue, kinds.contains(kind) ? (figures.faults[kind] ?? 0).grouped : "left out"])
    }
    rows.append(["**all**", "**\(figures.allFaults.grouped)**"])
    rows += [[], ["what", "figure"], ["---", "---:"]]
    rows += [
      ["rounds of faults, heal and check", figures.rounds.grouped],
      ["writes acknowledged", figures.acknowledged.grouped],
      ["writes whose outcome the writer did not learn", figures.unknown.grouped],
      ["runs of `settings-fleet set`, `apply` and `rollout`", figures.commands.grouped],
      ["of these, with exit status 0", figures.goodCommands.grouped],
      ["rollouts that another desk has finished", figures.resumed.grouped],
      ["file states read", figures.states.grouped],
    ]
    for harm in Figures.Harm.allCases { rows.append([harm.rawValue, (figures.harm[harm] ?? 0).grouped]) }
    let times = figures.timesToRight.sorted()
    rows += [
      [
        "time from the heal until all machines were right: median",
        Self.text(times.isEmpty ? .zero : times[times.count / 2]),
      ],
      ["time from the heal until all machines were right: longest", Self.text(times.last ?? .zero)],
      ["calls of the writers and the check", figures.calls.grouped],
      ["longest call", Self.text(figures.longestCall)],
      ["longest run of the command, of several calls", Self.text(figures.longestCommand)],
      ["duration", "\(Int(duration / .seconds(1)).grouped) s"],
    ]
    Swift.print(rows.map { $0.isEmpty ? "" : "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n"))
  }

  private static func text(_ duration: Duration) -> String {
    let milliseconds = Int(duration / .milliseconds(1))
    return "\(milliseconds / 1000).\((milliseconds % 1000) / 100)\((milliseconds % 100) / 10) s"
  }
}

extension Int {
  /// With a comma between thousands.
  var grouped: String {
    let digits = Array(String(self))
    return digits.indices.map { index in
      (index > 0 && (digits.count - index).isMultiple(of: 3) ? "," : "") + String(digits[index])
    }.joined()
  }
}
