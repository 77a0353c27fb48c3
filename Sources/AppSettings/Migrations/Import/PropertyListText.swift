import FoundationEssentials
import SettingsTOML

/// Property lists, XML and binary.
enum PropertyListText {
  static func read(_ bytes: [UInt8]) throws(ImportFailure) -> ImportedValues {
    let node: Node
    do {
      node = try PropertyListDecoder().decode(Node.self, from: Data(bytes))
    } catch {
      throw ImportFailure(reason: "it is no property list")
    }
    guard case .table(let members) = node else { throw ImportFailure(reason: "it is no dictionary") }
    var result = ImportedValues()
    result.values = table(of: members, at: .root, &result.skipped)
    return result
  }

  private static func table(
    of members: [String: Node], at path: TOMLPath, _ skipped: inout [SettingsImportReport.Skipped]
  ) -> TOMLTable {
    var table = TOMLTable()
    for (key, node) in members.sorted(by: { $0.key < $1.key }) {
      table[key] = value(of: node, at: path.appending(key), &skipped)
    }
    return table
  }

  private static func value(
    of node: Node, at path: TOMLPath, _ skipped: inout [SettingsImportReport.Skipped]
  ) -> TOMLValue? {
    switch node {
    case .value(let value): return value
    case .table(let members): return .table(table(of: members, at: path, &skipped))
    case .array(let nodes):
      var items: [TOMLValue] = []
      for (index, node) in nodes.enumerated() {
        if let item = value(of: node, at: path.appending("[\(index)]"), &skipped) { items.append(item) }
      }
      return .array(items)
    case .date(let date):
      if let value = try? Date.settingsBridge.write(date) { return value }
      skipped.append(.init(source: path, reason: "its date is beyond what TOML has"))
      return nil
    case .data(let data):
      if let archive = try? PropertyListDecoder().decode(Archive.self, from: data), archive.archiver != nil {
        skipped.append(.init(source: path, reason: "it is an archive of objects (\(archive.archiver ?? "")), no value"))
        return nil
      }
      return try? Data.settingsBridge.write(data)
    }
  }

  private struct Archive: Decodable {
    var archiver: String?
    enum CodingKeys: String, CodingKey { case archiver = "$archiver" }
  }

  private indirect enum Node: Decodable {
    case value(TOMLValue)
    case date(Date)
    case data(Data)
    case array([Node])
    case table([String: Node])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Bool.self) {
        self = .value(.boolean(value))
      } else if let value = try? container.decode(Int64.self) {
        self = .value(.integer(value))
      } else if let value = try? container.decode(UInt64.self) {
        self = .value(.string(String(value)))
      } else if let value = try? container.decode(Double.self) {
        self = .value(.float(value))
      } else if let value = try? container.decode(String.self) {
        self = .value(.string(value))
      } else if let value = try? container.decode(Date.self) {
        self = .date(value)
      } else if let value = try? container.decode(Data.self) {
        self = .data(value)
      } else if let value = try? container.decode([String: Node].self) {
        self = .table(value)
      } else {
        self = .array(try container.decode([Node].self))
      }
    }
  }
}
