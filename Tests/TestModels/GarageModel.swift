import AppSettings
package import AppSettingsGarage
import FoundationEssentials

/// An object with an id, a status and a reference.
package final class ModelThing: Codable, Identifiable, GarageNamed {
  package static let recordName = "Thing"
  package let id: String
  package var number: Int
  package var text: String
  @Reference package var next: ModelThing?

  init(_ id: String, _ number: Int, _ text: String) {
    self.id = id
    self.number = number
    self.text = text
  }
}

/// An object without an id.
package struct ModelNote: Codable, Hashable, GarageNamed {
  package static let recordName = "Note"
  package var text: String
}

/// One thing done to a garage.
package enum GarageStep: Sendable {
  case park(id: String, number: Int, text: String)
  case parkChain([String], number: Int)
  case parkAll([String], number: Int)
  case delete(String)
  case deleteAll
  case setStatus(String, Garage.SyncStatus)
  case setAllStatus(Garage.SyncStatus)
  case note(String)
  case deleteNote(String)
  case migrate
  case importRow(id: String, number: Int)
  /// Several as one, which are taken back together if `fails`.
  case batch([GarageStep], fails: Bool)

  /// Ids of every kind that is written otherwise, two of which Swift takes for one.
  private static let ids = ["a", "b", "c", "d e", "é", "e\u{301}", "Ω", "\u{2126}", "", "x.y\"z\n", "settings-a", "日本"]

  private static let statuses: [Garage.SyncStatus] = [.undetermined, .notSynced, .syncing, .synced]

  /// So many steps of a seed.
  package static func steps(_ count: Int, seed: UInt64) -> [GarageStep] {
    var random = SeededRandom(seed)
    return (0..<count).map { _ in step(&random, isInBatch: false) }
  }

  private static func step(_ random: inout SeededRandom, isInBatch: Bool) -> GarageStep {
    let id = ids.randomElement(using: &random)!
    let number = Int.random(in: 0..<1000, using: &random)
    func some(_ random: inout SeededRandom) -> [String] {
      Array(ids.shuffled(using: &random).prefix(Int.random(in: 2...11, using: &random)))
    }
    switch Int.random(in: 0..<(isInBatch ? 90 : 100), using: &random) {
    case 0..<25: return .park(id: id, number: number, text: "text \(number) '\"\\\n# [Thing.a]\n\(id)")
    case 25..<33: return .parkChain(some(&random), number: number)
    case 33..<38: return .parkAll(some(&random), number: number)
    case 38..<50: return .delete(id)
    case 50..<52: return .deleteAll
    case 52..<64: return .setStatus(id, Self.statuses.randomElement(using: &random)!)
    case 64..<67: return .setAllStatus(Self.statuses.randomElement(using: &random)!)
    case 67..<77: return .note("note \(number % 7)")
    case 77..<82: return .deleteNote("note \(number % 7)")
    case 82..<84: return .migrate
    case 84..<90: return .importRow(id: id, number: number)
    default:
      let steps = (0..<Int.random(in: 1...12, using: &random)).map { _ in step(&random, isInBatch: true) }
      return .batch(steps, fails: Int.random(in: 0..<4, using: &random) == 0)
    }
  }
}

/// What a garage is to hold, in the simplest way.
package struct GarageModel: Equatable, Sendable, CustomStringConvertible {
  package struct Item: Equatable, Sendable {
    var number: Int
    var text: String
    var next: String?
    var status = Garage.SyncStatus.undetermined
  }

  /// By id, which is one whether or not its letters are composed.
  package var items: [String: Item] = [:]
  package var notes: [String] = []

  package init() {}

  private mutating func park(_ id: String, _ number: Int, _ text: String, next: String?) {
    items[id] = Item(number: number, text: text, next: next, status: items[id]?.status ?? .undetermined)
  }

  /// - Returns: Whether the garage does it, or throws.
  package mutating func apply(_ step: GarageStep) -> Bool {
    switch step {
    case .park(let id, let number, let text): park(id, number, text, next: nil)
    case .parkChain(let ids, let number):
      let ids = Self.distinct(ids)
      for (index, id) in ids.enumerated() {
        park(id, number, "chain", next: index + 1 < ids.count ? ids[index + 1] : ids[0])
      }
    case .parkAll(let ids, let number): for id in Self.distinct(ids) { park(id, number, "all", next: nil) }
    case .delete(let id): return items.removeValue(forKey: id) != nil
    case .deleteAll: items = [:]
    case .setStatus(let id, let status):
      guard items[id] != nil else { return false }
      items[id]?.status = status
    case .setAllStatus(let status): for id in items.keys { items[id]?.status = status }
    case .note(let text): if !notes.contains(text) { notes.append(text) }
    case .deleteNote(let text):
      guard notes.contains(text) else { return false }
      notes.removeAll { $0 == text }
    case .migrate: break
    case .importRow(let id, let number):
      // A row is another record than one whose id is only equal to Swift.
      items[id] = Item(number: number, text: "imported", status: .notSynced)
    case .batch(let steps, let fails):
      let before = self
      for step in steps { _ = apply(step) }
      if fails { self = before }
      return !fails
    }
    return true
  }

  static func distinct(_ ids: [String]) -> [String] {
    ids.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  package var description: String {
    items.sorted { $0.key < $1.key }.map {
      "\($0.key.debugDescription): \($0.value.number) \($0.value.text.prefix(6)) -> \($0.value.next ?? "-") \($0.value.status)"
    }.joined(separator: "\n") + "\n\(notes)"
  }

  /// What a garage holds.
  package init(of garage: Garage) throws {
    let all = try garage.retrieveAll(ModelThing.self)
    for thing in all {
      items[thing.id] = Item(
        number: thing.number, text: thing.text, next: thing.next?.id ?? thing.$next,
        status: try garage.syncStatus(of: thing))
    }
    guard items.count == all.count else { throw SettingsError(.existingRecord, "Two records of one id.") }
    for thing in all { thing.next = nil }
    notes = try garage.retrieveValues(ModelNote.self).map(\.text)
  }
}

private struct TakenBack: Error {}

extension GarageObjects {
  /// Does a step.
  ///
  /// - Returns: Whether it was done; what is refused for a good reason was not.
  package func apply(_ step: GarageStep) throws -> Bool {
    do {
      switch step {
      case .park(let id, let number, let text): try park(ModelThing(id, number, text))
      case .parkChain(let ids, let number):
        let things = GarageModel.distinct(ids).map { ModelThing($0, number, "chain") }
        for (index, thing) in things.enumerated() { thing.next = things[(index + 1) % things.count] }
        defer { for thing in things { thing.next = nil } }
        try park(things[0])
      case .parkAll(let ids, let number):
        try park(GarageModel.distinct(ids).map { ModelThing($0, number, "all") })
      case .delete(let id): try delete(ModelThing.self, id: id)
      case .deleteAll: try deleteAll(ModelThing.self)
      case .setStatus(let id, let status): try setSyncStatus(status, for: ModelThing(id, 0, ""))
      case .setAllStatus(let status):
        let all = try retrieveAll(ModelThing.self)
        defer { for thing in all { thing.next = nil } }
        try setSyncStatus(status, for: all)
      case .note(let text): try parkValue(ModelNote(text: text))
      case .deleteNote(let text): try deleteValue(ModelNote(text: text))
      case .migrate: try migrateAll(recordName: "Thing", to: ModelThing.self)
      case .importRow(let id, let number):
        // The text of the id that is there, as whoever exports a garage has it.
        let stored = try records(withStatus: .undetermined, .notSynced, .syncing, .synced)
          .first { $0.recordName == "Thing" && $0.id == id }?.id
        let data = try JSONEncoder().encode(StoredThing(id: stored ?? id, number: number, text: "imported"))
        let row = StorageRow(
          gs_type: "Thing", gs_identifier: stored ?? id, gs_syncStatus: 1,
          gs_data: String(decoding: data, as: UTF8.self))
        let rows = try JSONEncoder().encode([row])
        try importGarageStorage(rows: String(decoding: rows, as: UTF8.self), onConflict: .replace)
      case .batch(let steps, let fails):
        try update { transaction in
          for step in steps { _ = try transaction.apply(step) }
          if fails { throw TakenBack() }
        }
      }
      return true
    } catch is TakenBack {
      return false
    } catch let error as SettingsError where error.code == .missingRecord {
      return false
    }
  }

  private func records(withStatus all: Garage.SyncStatus...) throws -> [(recordName: String, id: String?)] {
    try all.flatMap { try records(withStatus: $0) }
  }
}

private struct StoredThing: Encodable {
  var id: String
  var number: Int
  var text: String
}

/// A row of GarageStorage's database, as `sqlite3 -json` prints it.
private struct StorageRow: Encodable {
  var gs_type: String
  var gs_identifier: String
  var gs_syncStatus: Int
  var gs_data: String
}
