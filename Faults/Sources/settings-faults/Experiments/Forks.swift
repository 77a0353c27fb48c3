import Glibc

/// Writers that fork without `exec`.
extension Suite {
  func forks() {
    var table = Table(
      "A child forked during a write",
      "A process writes without a pause and forks at a random microsecond. The child stays idle and keeps every "
        + "descriptor. The parent completes its last write, or is killed at once. Then, while the child lives, another "
        + "process sets a key. Stuck: that set fails or takes 2 s. Lost: a value that was said to be stored is not there.",
      ["system", "forks", "stuck", "stuck after a kill", "lost"])
    each("forks", into: &table, among: [AppSettingsSystem.id]) { system, row in
      var stuck = [0, 0]
      var (count, lost) = (0, 0)
      let end = Clock.milliseconds() + options.limit * 1000
      for number in 0..<options.forks where Clock.milliseconds() < end {
        let dies = number % 2 == 1
        let moment = UInt32.random(in: 3000..<12_000, using: &random)
        let parent = try system.worker("fork", [String(moment), dies ? "dies" : "lives"])
        defer { parent.killGroup() }
        var last = 0
        if dies {
          // The child holds the pipe open, so the output does not end with the parent.
          _ = parent.wait()
          last = parent.acknowledgements().max() ?? 0
        } else {
          var next = parent.nextAcknowledgement(limit: Fixture.patience)
          while let value = next, value != 0 {
            last = max(last, value)
            next = parent.nextAcknowledgement(limit: Fixture.patience)
          }
          guard next == 0 else { throw Failure("the writer did not end") }
        }
        count += 1
        let other = try system.worker("set", ["w0", String(number + 1)])
        let set = other.finish(limit: 2000)
        if set.code != 0 || set.isLate { stuck[dies ? 1 : 0] += 1 }
        if let contents = system.contents, contents["n"] ?? 0 < last { lost += 1 }
        parent.killGroup()
        try system.reset()
      }
      row = [count, stuck[0], stuck[1], lost].map(\.grouped)
      return [.stuck: stuck[0] + stuck[1], .lost: lost]
    }
    finish(table)
  }
}
