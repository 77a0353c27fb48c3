import AppSettings
import Foundation
import Testing
import TestSupport

/// Random operations on records, some by another process, against a model that is an array.
///
/// `SETTINGS_MODELS=full` runs the long form; `SETTINGS_MODEL_SEED` repeats the run that a failure names.
struct RecordModelTests {
  @Test func `random updates show the same order within and afterwards, to this process and another`() throws {
    for round in 0..<(GarageModelTests.seed == nil ? GarageModelTests.isFull ? 1000 : 8 : 1) {
      let seed = GarageModelTests.seed ?? (GarageModelTests.isFull ? UInt64.random(in: 0 ... .max) : UInt64(round))
      try run(seed: seed, rounds: GarageModelTests.isFull ? 20 : 8, "SETTINGS_MODEL_SEED=\(seed)")
    }
  }

  private func run(seed: UInt64, rounds: Int, _ name: String) throws {
    let home = ScratchHome()
    var random = SeededRandom(seed)
    var model = RecordModel()
    let settings = try home.store()
    try home.write("# mine\nother = 1\n")
    for round in 0..<rounds {
      let steps = RecordStep.steps(Int.random(in: 1...8, using: &random), using: &random)
      if Bool.random(using: &random) {
        let before = model
        do {
          try settings.update { transaction in
            for step in steps {
              try transaction.apply(step)
              model.apply(step)
              try #require(
                transaction[.modelServers].all == model.all,
                "\(name), round \(round): \(steps)\nfrom \(before.all)\nis \(transaction[.modelServers].all)\nnot \(model.all)"
              )
            }
          }
        } catch let error as SettingsError {
          Issue.record("\(name), round \(round): \(error)")
        }
        try #require(
          settings[.modelServers].all == model.all,
          "\(name), round \(round), afterwards: \(steps)\n\(home.text() ?? "")")
      } else {
        for step in steps {
          switch step {
          case .put(let server): settings[.modelServers][server.id] = server
          case .setPort(let id, let port): settings[.modelServers][id]?.port = port
          case .remove(let id): try settings[.modelServers].remove(id)
          case .rename(let id, let new): _ = try? settings[.modelServers].rename(id, to: new)
          }
          model.apply(step)
        }
        try settings.flush()
      }
      try #require(settings[.modelServers].all == model.all, "\(name), round \(round)\n\(home.text() ?? "")")
      try #require(try home.store()[.modelServers].all == model.all, "\(name), round \(round), read anew")
      guard round % 4 == 3 else { continue }
      let theirs = random.next()
      let result = try ChildProcess.run(
        ChildProcess.product("settings-probe"), ["record-steps", home.file, "\(theirs)", "6"],
        environment: home.environment)
      try #require(result.status == 0, "\(name): \(result.error)")
      var their = SeededRandom(theirs)
      for step in RecordStep.steps(6, using: &their) { model.apply(step) }
      settings.reload()
      try #require(settings[.modelServers].all == model.all, "\(name), the other process with \(theirs)")
    }
    try #require(settings.currentProblems.isEmpty && home.text()?.hasPrefix("# mine\nother = 1\n") == true)
  }
}
