import Foundation
import Glibc

/// The experiments, one after the other, and what they found.
final class Suite {
  static var systems: [any System.Type] {
    [AppSettingsSystem.self, GitConfig.self, GSettingsKeyfile.self, GSettingsDconf.self, UserDefaultsSystem.self]
  }

  /// What an experiment counts with one system.
  enum Figure: String, CaseIterable {
    case lost, damaged, torn, stuck, left, wrong, refused
    case kills, increments, reads, states

    /// Whether one of them is a fault of the system.
    var isFault: Bool {
      switch self {
      case .lost, .damaged, .torn, .stuck, .left, .wrong: true
      case .refused, .kills, .increments, .reads, .states: false
      }
    }
  }

  let options: Options
  var random: SplitMix
  /// Where the homes are made.
  let base: String
  /// What this package did, over all experiments.
  var ours: [Figure: Int] = [:]
  var didFail = false
  let types: [any System.Type]

  init(options: Options) throws {
    self.options = options
    let seed = options.seed ?? UInt64.random(in: 0..<UInt64.max)
    random = SplitMix(state: seed)
    var template = ((options.directory ?? NSTemporaryDirectory()) + "/settings-faults-XXXXXX").utf8CString.map { $0 }
    guard mkdtemp(&template) != nil, let resolved = realpath(template, nil) else {
      throw Failure("cannot make a directory in \(options.directory ?? NSTemporaryDirectory())")
    }
    base = String(cString: resolved)
    free(resolved)
    types = Self.systems.filter { options.systems.isEmpty || options.systems.contains($0.id) }
    say("seed \(seed), in \(base)")
    for type in types {
      if let reason = type.unavailable { say("\(type.title): left out, since \(reason)") }
    }
  }

  func run() -> Bool {
    distinctKeys()
    counting()
    kills()
    crowd()
    fullDisk()
    readOnlyMount()
    cuts()
    brokenLines()
    tornReads()
    crashStates()
    savesInPlace()
    replacedDirectories()
    sharedDirectory()
    jumpingClocks()
    forks()
    Files.remove(base)
    return conclude()
  }

  /// Runs an experiment with each system, in a home of its own.
  ///
  /// - Parameters:
  ///   - options: What to mount a tmpfs with, for the home to be on; `nil` for the base's own file system.
  ///   - ids: The systems to try; `nil` for all.
  func each(
    _ experiment: String, into table: inout Table, mounting options: String? = nil, among ids: Set<String>? = nil,
    _ body: (any System, inout [String]) throws -> [Figure: Int]
  ) {
    guard self.options.runs(experiment) else { return }
    for type in types where type.unavailable == nil && ids?.contains(type.id) ?? true {
      say("\(experiment): \(type.title)")
      let system = type.init(home: Home(path: "\(base)/\(experiment)-\(type.id)"))
      var isMounted = false
      defer {
        system.close()
        if isMounted { Namespace.unmount(system.home.path) }
        system.home.remove()
      }
      do {
        if let options {
          isMounted = Namespace.mount(["-t", "tmpfs", "-o", options, "none", system.home.path])
          guard isMounted else { throw Failure("a tmpfs cannot be mounted here") }
        }
        try system.prepare()
        var row: [String] = []
        let found = try body(system, &row)
        table.add([type.title] + row)
        if system.isOurs { ours.merge(found, uniquingKeysWith: +) }
      } catch {
        say("\(experiment): \(type.title): left out: \(error)")
        if system.isOurs { didFail = true }
      }
    }
  }

  func finish(_ table: Table) {
    guard !table.isEmpty else { return }
    print(table.text)
    fflush(nil)
  }

  func say(_ text: String) {
    FileHandle.standardError.write(Data(("faults: " + text + "\n").utf8))
  }

  private func conclude() -> Bool {
    guard types.contains(where: { $0.id == AppSettingsSystem.id }) else { return true }
    func count(_ figure: Figure) -> String { (ours[figure] ?? 0).grouped }
    print(
      """
      AppSettings: \(count(.lost)) lost, \(count(.damaged)) damaged, \(count(.torn)) torn, \(count(.stuck)) stuck, \
      \(count(.left)) left behind, \(count(.wrong)) wrong, over \(count(.kills)) kills, \(count(.increments)) increments, \
      \(count(.reads)) raw reads and \(count(.states)) crash states.
      """)
    return !didFail && ours.allSatisfy { !$0.key.isFault || $0.value == 0 }
  }
}

/// Random numbers that a seed repeats.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension Int {
  /// With a comma between thousands.
  var grouped: String {
    let digits = String(magnitude)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { result += "," }
      result.append(digit)
    }
    return self < 0 ? "-" + result : result
  }
}
