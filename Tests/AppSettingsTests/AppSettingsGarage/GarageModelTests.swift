import AppSettings
import AppSettingsGarage
import Foundation
import Testing
import TestSupport

/// Random operations on a garage, some by another process, against a model that is a dictionary.
///
/// `SETTINGS_MODELS=full` runs the long form; `SETTINGS_MODEL_SEED` repeats the run that a failure names.
struct GarageModelTests {
  static let isFull = ProcessInfo.processInfo.environment["SETTINGS_MODELS"] == "full"
  static let seed = ProcessInfo.processInfo.environment["SETTINGS_MODEL_SEED"].flatMap { UInt64($0) }

  @Test(arguments: [false, true])
  func `random operations leave what a model says, for this process and another`(isSealed: Bool) throws {
    for round in 0..<(Self.seed == nil ? Self.isFull ? 400 : 3 : 1) {
      let seed = Self.seed ?? (Self.isFull ? UInt64.random(in: 0 ... .max) : UInt64(round))
      try run(seed: seed, isSealed: isSealed, rounds: Self.isFull ? 12 : 4, "SETTINGS_MODEL_SEED=\(seed) (\(round))")
    }
  }

  private func run(seed: UInt64, isSealed: Bool, rounds: Int, _ name: String) throws {
    let home = GarageHome()
    var random = SeededRandom(seed)
    var key: UInt64 = 1
    var model = GarageModel()
    func open() throws -> Garage {
      Garage(at: try home.location, cipher: isSealed ? .toy(key) : nil, system: Syscalls())
    }
    var garage = try open()
    for _ in 0..<rounds {
      for step in GarageStep.steps(25, seed: random.next()) {
        let isDone = try garage.apply(step)
        try #require(model.apply(step) == isDone, "\(name): \(step)")
        try #require(try GarageModel(of: garage) == model, "\(name): \(step)\n\(model)\n--\n\(home.text ?? "")")
      }
      // What is on disk is what is in memory.
      try #require(try GarageModel(of: open()) == model, "\(name)")
      let theirs = random.next()
      let result = try ChildProcess.run(
        ChildProcess.product("settings-probe"),
        ["garage-steps", home.file, "\(theirs)", "10"] + (isSealed ? ["\(key)"] : []),
        environment: home.home.environment)
      try #require(result.status == 0, "\(name): \(result.error)")
      for step in GarageStep.steps(10, seed: theirs) { _ = model.apply(step) }
      garage.reload()
      try #require(try GarageModel(of: garage) == model, "\(name), the other process with \(theirs)")
      if isSealed {
        let text = home.text ?? ""
        try #require(!["number", "text", "imported"].contains { text.contains($0 + " =") }, "\(name)")
        key = UInt64.random(in: 2...9, using: &random)
        try garage.changeCipher(to: .toy(key))
        try #require(try GarageModel(of: garage) == model, "\(name), another key")
      }
      if Bool.random(using: &random) { garage = try open() }
    }
  }

  @Test(arguments: Syscalls.Call.allCases)
  func `killed at any call while the cipher changes: one key opens all, and that one writes`(
    call: Syscalls.Call
  ) throws {
    for number in 1...60 {
      let home = GarageHome()
      func garage(_ key: UInt64) throws -> Garage {
        Garage(at: try home.location, cipher: .toy(key), system: Syscalls())
      }
      try garage(1).park((0..<3).map { Pet(id: $0, name: "pet") })
      try garage(1).parkValue(Address(street: "s", zip: "z"))
      let result = try ChildProcess.run(
        ChildProcess.product("settings-probe"), ["change-cipher", home.file, call.rawValue, "\(number)"],
        environment: home.home.environment)
      var right: [UInt64] = []
      for key in [1, 2] as [UInt64] {
        let isOpen = try? garage(key).retrieveAll(Pet.self).count == 3
        let isWritten = settingsError { try garage(key).park(Pet(id: 7, name: "new")) } == nil
        #expect(isWritten == (isOpen ?? false), "\(call) \(number)")
        if isWritten {
          right.append(key)
          #expect(try garage(key).retrieveValues(Address.self).count == 1)
          try garage(key).delete(Pet.self, id: 7)
        }
      }
      #expect(right.count == 1, "\(call) \(number): \(right)")
      #expect(home.home.names(in: home.home.path + "/data/org.example.test") == ["garage.toml"])
      if !result.wasKilled {
        #expect(right == [2])
        break
      }
    }
  }
}
