import CFleetSystem
import EtcdClient
import SettingsFleet

extension MirrorService {
  func read(_ request: StateMachine.RangeRequest) async {
    var record = record
    record.machines = machine.machines
    let formerProblems = problems
    if request.app == nil { problems = [] }
    // What was answered last about each app, by which what is answered about no app any more is known.
    var answers: [String: Ack] = [:]
    let result = await execution.run(request.app, &record) { part, record in
      take(part, knowing: formerProblems).forEach { answers[$0.app] = $0 }
      var done: Set<String> = []
      // Of hundreds, the others are part of the next range of everything.
      while done.count < 4, let urgent = machine.interlude(at: now), let app = urgent.app {
        let result = await execution.run(app, &record) { part, _ in
          take(part, knowing: formerProblems).forEach { answers[$0.app] = $0 }
          return []
        }
        finish(urgent, result)
        done.insert(app)
      }
      return done
    }
    self.record = record
    if request.app == nil, let warning = execution.client.certificateWarning, warning != lastWarning {
      lastWarning = warning
      say("warning: \(warning)")
    }
    if request.app == nil, result.isWhole {
      perform(machine.offer(Array(answers.values), at: now))
    } else {
      problems.formUnion(formerProblems)
    }
    finish(request, result)
    // Nothing may come for days.
    fleet_unmap_code()
  }

  /// Says and answers what came of a part.
  private func take(_ part: MirrorExecution.Part, knowing known: Set<String>) -> [Ack] {
    for line in part.lines { say(line) }
    written += Int64(part.written)
    refused += Int64(part.refused)
    for app in part.mended.intersection(suspected) { repairs[app, default: 0] += 1 }
    suspected.subtract(part.plan.concerned)
    let found = part.problems
    for line in found.subtracting(known).subtracting(problems).sorted() { say(line) }
    problems.formUnion(found)
    return answer(part.plan)
  }

  private func finish(_ request: StateMachine.RangeRequest, _ result: MirrorExecution.Result) {
    for line in result.lines { say(line) }
    if case .unavailable = result.outcome { hasSaidLost = true }
    perform(machine.finished(request, result.outcome, at: now))
    if let held = result.held { _ = answer(held) }
    writeMetrics()
  }

  private func answer(_ plan: MirrorPlan) -> [Ack] {
    let acks = plan.acks(checks: checks, unchecked: unchecked).map { ack in
      var ack = ack
      ack.repairs = repairs[ack.app]
      if ack.app == FleetNames.ownApp { ack.release = Version.release }
      return ack
    }
    perform(machine.offer(acks, about: plan.concerned, at: now))
    // Of a rollout that is over, nobody asks for the result.
    let rollouts = Set(acks.compactMap(\.rollout?.id))
    for (id, check) in checking where plan.concerned.contains(check.app) && !rollouts.contains(id) {
      check.task.cancel()
    }
    for ack in acks {
      guard let rollout = ack.rollout, rollout.state == .applied, checks[rollout.id] == nil,
        checking[rollout.id] == nil, !isEnding
      else { continue }
      checking[rollout.id] = (ack.app, Task { await runCheck(of: ack.app, rollout.id) })
    }
    return acks
  }

  private func runCheck(of app: String, _ rollout: String) async {
    let (status, problem) = await check.status(for: app)
    checking[rollout] = nil
    guard !Task.isCancelled else { return }
    (checks[rollout], unchecked[rollout]) = (status, problem)
    let end = problem.map { "could not be run: \($0.message)" } ?? "ended with status \(status)."
    if !check.words.isEmpty { say("The check of \(app) for the rollout \(rollout) \(end)") }
    perform(machine.recheck(at: now))
  }
}
