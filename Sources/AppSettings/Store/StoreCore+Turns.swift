import SettingsTOML

/// Decides which thread commits, how long others wait, and what happens to edits that cannot be written.
extension StoreCore {
  /// Makes the calling thread the committing one. It calls no foreign code until ``leaveCommit()``.
  ///
  /// - Throws: ``SettingsError`` `nestedUpdate` if it would wait for itself, `lockTimeout` if the time is over.
  func enterCommit(within limit: TimeLimit) throws(SettingsError) {
    try checkNotNested()
    let me = PlainThread.currentID
    let isEntered: Void? = committing.wait(untilNanoseconds: limit.end) { owner -> Void? in
      guard owner == 0 else { return nil }
      owner = me
    }
    guard isEntered != nil else { throw busyError(limit) }
    DeferredCalls.begin()
  }

  /// Ends the commit and makes the calls that were deferred during it.
  func leaveCommit() {
    state.withLock { $0.endCommit() }
    committing.withLock { $0 = 0 }
    DeferredCalls.end()
  }

  /// The error of a caller whose time has run out while another thread of this process was committing.
  private func busyError(_ limit: TimeLimit) -> SettingsError {
    SettingsError(
      .lockTimeout,
      "Cannot write '\(backing.name)': another thread of this process has been writing it for \(limit.duration). "
        + "Nothing was written. Look for an 'update' whose closure does not end.", file: location?.file)
  }

  /// Commits the pending edits; never throws, because each edit has its own outcome.
  func commitPending(_ turn: WriteTurn) {
    let newest = state.withLock { $0.lastNumber }
    do {
      try commit(.pending, within: turn.limit ?? TimeLimit(lockTimeout))
    } catch {
      let error = SettingsError(error)
      // Later callers have time left.
      abandon(upTo: error.code == .lockTimeout ? turn.number : newest, because: error)
    }
  }

  /// Withdraws pending edits: memory returns to the file's content.
  ///
  /// Edits that another thread's commit is writing are not withdrawn but awaited: it holds the file's lock.
  func abandon(upTo number: UInt64, because error: SettingsError) {
    while true {
      let report = state.withLock { state -> WriteReport? in
        if state.isCommitting(upTo: number) { return nil }
        var report = WriteReport(number: number)
        for failed in state.withdrawAll(upTo: number) { report.failures[failed] = error }
        if !report.failures.isEmpty { renewStamp() }
        return report
      }
      if let report {
        if !report.failures.isEmpty { look() }
        return queue.finish(report) { _ in problems.report(SettingsProblem(error), endsWithWrite: true) }
      }
      committing.wait { $0 == 0 ? () : nil }
    }
  }

  /// Reports the outcome to those who wait for edits. A failed edit for which nobody waits is a problem.
  func finish(_ report: WriteReport) {
    guard report.number > 0 else { return }
    queue.finish(report) { numbers in
      for number in numbers {
        guard let error = report.failures[number], let path = report.failedPaths[number] else { continue }
        problems.report(SettingsProblem(error, path: path), endsWithValue: true)
      }
    }
  }
}
