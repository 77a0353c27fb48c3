package import AppSettings

package struct ModelServer: Codable, Identifiable, Sendable, Equatable {
  package var id: String
  package var port: Int
  package var note: String?
}

extension SettingsKeys {
  package static let modelServers = SettingsRecordKey<ModelServer>("servers")
}

/// One thing done to records.
package enum RecordStep: Sendable {
  case put(ModelServer)
  case setPort(String, Int)
  case remove(String)
  case rename(String, String)

  private static let ids = ["a", "b", "c", "d e", "é", "x.y\"z", "", "日本"]

  /// So many steps of a seed.
  package static func steps(_ count: Int, using random: inout SeededRandom) -> [RecordStep] {
    (0..<count).map { _ in
      let id = ids.randomElement(using: &random)!
      let port = Int.random(in: 0..<100, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4: return .put(ModelServer(id: id, port: port, note: port % 3 == 0 ? "n" : nil))
      case 4..<5: return .setPort(id, port)
      case 5..<7: return .remove(id)
      default: return .rename(id, ids.randomElement(using: &random)!)
      }
    }
  }
}

/// What there is to be under a key, in order.
package struct RecordModel: Equatable, Sendable {
  package var all: [ModelServer] = []

  package init() {}

  package mutating func apply(_ step: RecordStep) {
    switch step {
    case .put(let server):
      if let index = all.firstIndex(where: { $0.id == server.id }) {
        all[index] = server
      } else {
        all.append(server)
      }
    case .setPort(let id, let port):
      if let index = all.firstIndex(where: { $0.id == id }) { all[index].port = port }
    case .remove(let id): all.removeAll { $0.id == id }
    case .rename(let id, let new):
      guard let index = all.firstIndex(where: { $0.id == id }), !all.contains(where: { $0.id == new }) else { return }
      all[index].id = new
    }
  }
}

extension SettingsTransaction {
  /// Does a step; what is refused is left.
  package mutating func apply(_ step: RecordStep) throws {
    switch step {
    case .put(let server): try self[.modelServers].put(server)
    case .setPort(let id, let port): self[.modelServers][id]?.port = port
    case .remove(let id): try self[.modelServers].remove(id)
    case .rename(let id, let new):
      do {
        try self[.modelServers].rename(id, to: new)
      } catch  where error.code == .existingRecord {}
    }
  }
}
