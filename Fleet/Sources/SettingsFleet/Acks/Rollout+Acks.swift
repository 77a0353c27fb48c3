/// Which machines a rollout begins with, and which it adds, by their answers.
extension Rollout {
  /// The rollout with a salt by which at least one of the machines that answer tries the text, if its target is a share and
  /// one of them can.
  ///
  /// - Parameter acks: The answers about the app, apart from those of silent machines.
  public func choosing(among acks: [Ack]) -> Rollout {
    guard case .share(let share) = target else { return self }
    let machines = acks.filter { scope.includes(host: $0.host, groups: $0.groups) && canApply(to: $0) }.map(\.machine)
    guard !machines.isEmpty else { return self }
    var salt = salt
    var tries = 0
    // The smallest share of one machine needs 10,000 on average.
    while !machines.contains(where: { Self.place(of: $0, salt: salt) < share }), tries < 200_000 {
      tries += 1
      salt = "\(self.salt)-\(tries)"
    }
    var chosen = self
    chosen.salt = salt
    return chosen
  }

  /// The next step, in which at least one more of the machines that answer tries the text, if there is one; `nil` if this is
  /// the last step. It is not signed yet.
  ///
  /// - Parameter acks: The answers about the app, apart from those of silent machines.
  public func nextStep(among acks: [Ack]) -> Rollout? {
    guard var steps, case .share(let share) = target, steps.index + 1 < steps.shares.count else { return nil }
    steps.index += 1
    let others = acks.filter { scope.includes(host: $0.host, groups: $0.groups) && canApply(to: $0) }
      .map { Self.place(of: $0.machine, salt: salt) }.filter { $0 >= share }
    var next = self
    next.steps = steps
    next.target = .share(max(steps.shares[steps.index], others.min().map { $0 + 1 } ?? share))
    next.signature = nil
    return next
  }

  /// The same step with another coordinator, who pauses it or goes on with it.
  public func taken(over coordinator: String, isPaused: Bool) -> Rollout {
    var taken = self
    taken.coordinator = FleetProblem.shown(coordinator, most: 300)
    taken.steps?.isPaused = isPaused
    taken.signature = nil
    return taken
  }

  /// Whether the machine that answers is one that tries the text.
  public func isCanary(_ ack: Ack) -> Bool { isCanary(id: ack.machine, host: ack.host, groups: ack.groups) }

  /// Whether the app of the machine that answers reads this version.
  func canApply(to ack: Ack) -> Bool { version <= ack.appVersion ?? .max }
}
