public import SettingsTOML

/// toml-test's form of TOML values: `{"type": "integer", "value": "1"}`, tables as objects, arrays as arrays.
public enum Tagged {
  /// The JSON of a value.
  public static func text(_ value: TOMLValue) -> String {
    switch value {
    case .table(let table): "{" + table.map { quoted($0.key) + ": " + text($0.value) }.joined(separator: ", ") + "}"
    case .array(let items): "[" + items.map { text($0) }.joined(separator: ", ") + "]"
    case .string(let string): tagged("string", string)
    default: tagged(type(of: value), value.tomlText)
    }
  }

  static func type(of value: TOMLValue) -> String {
    switch value {
    case .integer: "integer"
    case .float: "float"
    case .boolean: "bool"
    case .offsetDateTime: "datetime"
    case .localDateTime: "datetime-local"
    case .localDate: "date-local"
    case .localTime: "time-local"
    default: "string"
    }
  }

  private static func tagged(_ type: String, _ value: String) -> String {
    "{\"type\": \"\(type)\", \"value\": \(quoted(value))}"
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      default:
        if scalar.value < 0x20 {
          let digits = String(scalar.value, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// The value that some JSON stands for; `nil` if it is not in the tagged form.
  public static func value(_ json: JSON) -> TOMLValue? {
    switch json {
    case .string: return nil
    case .array(let items):
      let values = items.compactMap { value($0) }
      return values.count == items.count ? .array(values) : nil
    case .object(let members):
      if members.count == 2, case .string(let type) = json["type"], case .string(let text) = json["value"] {
        return scalar(type, text)
      }
      var table = TOMLTable()
      for member in members {
        guard let value = value(member.value) else { return nil }
        table[member.key] = value
      }
      return .table(table)
    }
  }

  private static func scalar(_ type: String, _ text: String) -> TOMLValue? {
    switch type {
    case "string": return .string(text)
    case "float": return Double(text).map { .float($0) }
    case "integer": return Int64(text).map { .integer($0) }
    case "bool": return text == "true" ? true : text == "false" ? false : nil
    default:
      guard let value = try? TOMLValue(parsing: text), Tagged.type(of: value) == type else { return nil }
      return value
    }
  }
}
