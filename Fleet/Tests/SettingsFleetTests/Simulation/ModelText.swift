import SettingsFleet

/// A text of the simulation, which says itself what is wrong with it.
struct ModelText {
  enum Kind: String, CaseIterable {
    /// Every app takes it.
    case good
    /// No app takes it.
    case bad
    /// Apps of the first release do not take it.
    case newer
    /// Every app takes it, and its check command fails.
    case subtle
  }

  let kind: Kind?
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    kind = Kind(rawValue: String(String(decoding: bytes, as: UTF8.self).prefix { $0 != " " }))
  }

  init(_ kind: Kind, number: Int) {
    self.kind = kind
    bytes = Array("\(kind.rawValue) \(number)".utf8)
  }

  func problem(for app: InstalledApp?) -> FleetProblem? {
    switch kind {
    case .good, .subtle: nil
    case .newer: app?.stamp == "s0" ? FleetProblem(.refused, "The app is too old.", line: 1) : nil
    case .bad, nil: FleetProblem(.refused, "The text is bad.", line: 1)
    }
  }
}
