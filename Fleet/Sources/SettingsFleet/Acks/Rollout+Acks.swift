/// Which machines a rollout begins with, and which it adds, by their answers.
extension Rollout {
  /// The rollout whose share has as many of the machines that answer as it says, and at least one, if its target is a share.
  ///
  /// - Parameter acks: The answers about the app, apart from those of silent machines.
  public func choosing(among acks: [Ack]) -> Rollout {
    guard case .share(let share) = target else { return self }
    var chosen = self
    chosen.target = .share(self.share(share, among: acks))
    return chosen
  }

  /// The next step, in which at least one more of the machines that answer tries the text, if there is one; `nil` if this is
  /// the last step. It is not signed yet.
  ///
  /// - Parameter acks: The answers about the app, apart from those of silent machines.
  public func nextStep(among acks: [Ack]) -> Rollout? {
    guard var steps, case .share(let share) = target, steps.index + 1 < steps.shares.count else { return nil }
    steps.index += 1
    var next = self
    next.steps = steps
    next.target = .share(self.share(steps.shares[steps.index], after: share, among: acks))
    next.signature = nil
    return next
  }

  /// The share nearest to the wanted one that has its number of the machines that answer, rounded up, and one more than
  /// before: which places they have is chance.
  private func share(_ wanted: Int, after former: Int = 0, among acks: [Ack]) -> Int {
    let places = acks.filter { scope.includes(host: $0.host, groups: $0.groups) && canApply(to: $0) }
      .map { Self.place(of: $0.machine, salt: salt) }.sorted()
    let more = places.prefix(while: { $0 < former }).count + 1
    let count = min(max((places.count * wanted + 9_999) / 10_000, more), places.count)
    let most = count < places.count ? places[count] : 10_000
    let least = count > 0 ? places[count - 1] + 1 : 1
    return max(min(wanted, most), least, former)
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
