import FoundationEssentials
import SettingsTOML

/// JSON text as TOML values.
enum JSONText {
  /// The value of a JSON text; `nil` for `null`. Members of objects come in the order of their names.
  ///
  /// - Throws: ``MigrationStepError`` if the text is not JSON or holds a `null` in an array, which TOML has no value for.
  static func value(of text: String, at path: TOMLPath) throws -> TOMLValue? {
    let parsed: Node
    do {
      // Fragments are fine: old formats hold `"dark"` and `3` as well as arrays.
      parsed = try JSONDecoder().decode(Node.self, from: Data(text.utf8))
    } catch let error as MigrationStepError {
      throw error
    } catch {
      throw MigrationStepError(path: path, reason: "the string is not JSON: \(excerpt(of: text))")
    }
    return try parsed.value(at: path)
  }

  private static func excerpt(of text: String) -> String {
    TOMLValue.string(text.count > 60 ? String(text.prefix(60)) + "…" : text).tomlText
  }

  private enum Node: Decodable {
    case null
    case scalar(TOMLValue)
    case array([Node])
    case object([String: Node])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .scalar(.boolean(value))
      } else if let value = try? container.decode(Int64.self) {
        self = .scalar(.integer(value))
      } else if let value = try? container.decode(Double.self) {
        self = .scalar(.float(value))
      } else if let value = try? container.decode(String.self) {
        self = .scalar(.string(value))
      } else if let value = try? container.decode([Node].self) {
        self = .array(value)
      } else {
        self = .object(try container.decode([String: Node].self))
      }
    }

    func value(at path: TOMLPath) throws -> TOMLValue? {
      switch self {
      case .null: return nil
      case .scalar(let value): return value
      case .array(let nodes):
        return .array(
          try nodes.enumerated().map { index, node in
            guard let value = try node.value(at: path) else {
              throw MigrationStepError(
                path: path, reason: "element [\(index)] of the JSON array is null, which TOML has no value for")
            }
            return value
          })
      case .object(let members):
        var table = TOMLTable()
        for (key, node) in members.sorted(by: { $0.key < $1.key }) { table[key] = try node.value(at: path) }
        return .table(table)
      }
    }
  }
}
