import AppSettings
import Glibc

/// Reads the data of GarageStorage's rows: JSON with the special forms that `MappableObject`s write.
struct GarageStorageData {
  /// The row, for messages.
  let place: String
  /// The data of rows of objects without an id, by type and identifier.
  private let values: [TOMLPath: String]
  /// Whether messages must not show the row's content.
  private let hidesContent: Bool
  /// What was left out, or kept in another form.
  private(set) var notes: [String] = []

  init(place: String, values: [TOMLPath: String], hidesContent: Bool) {
    self.place = place
    self.values = values
    self.hidesContent = hidesContent
  }

  struct Failure: Error {
    /// A full sentence.
    var message: String
  }

  /// How many objects are being read, each within the one before, and how many were.
  private var depth = 0
  private var count = 0

  /// The value of a row's data, in the form that `Codable` types read. The data of an object in line is encrypted, too.
  mutating func value(of data: String, _ decrypt: (String) throws -> String) throws(Failure) -> TOMLValue {
    depth += 1
    defer { depth -= 1 }
    count += 1
    guard depth < 64, count < 100_000 else {
      throw Failure(message: "\(place), refers to too many objects, or to itself.")
    }
    let text: String
    do {
      text = try decrypt(data)
    } catch {
      let reason = hidesContent ? "the code threw '\(type(of: error))'. Its message is not shown." : "\(error)"
      throw Failure(message: "\(place), cannot be decrypted: \(reason)")
    }
    var nulls: [TOMLPath] = []
    let (json, numbers) = Self.withExactNumbers(text)
    let value: TOMLValue?
    do {
      value = try JSONText.value(of: json) { path in
        // A null member is the same as a missing one; in an array it is a loss.
        if path.components.last?.hasPrefix("[") == true { nulls.append(path) }
      }
    } catch {
      throw Failure(message: "\(place), has data that is not JSON\(hidesContent ? "" : ": \(error.reason)").")
    }
    for path in nulls {
      notes.append(
        hidesContent ? "\(place): a null in a list was left out." : "\(place): the null at '\(path)' was left out.")
    }
    for number in numbers {
      let number = hidesContent ? "a number" : "the number \(number)"
      notes.append("\(place): \(number) is kept as text, because a floating-point number would round it.")
    }
    guard let value else { throw Failure(message: "\(place), holds null, not an object.") }
    return try modern(value, decrypt)
  }

  /// Replaces the three forms that `MappableObject`s write with those that `Codable` types read.
  private mutating func modern(
    _ value: TOMLValue, _ decrypt: (String) throws -> String
  ) throws(Failure) -> TOMLValue {
    switch value {
    case .array(let items):
      var result: [TOMLValue] = []
      for item in items { result.append(try modern(item, decrypt)) }
      return .array(result)
    case .table(let table):
      if table["gs_type"] == "gs_transformableType" {
        guard table["gs_transformableType"] == "gs_transformableDate",
          case .string(let text)? = table["gs_transformableData"], let date = try? TOMLValue(parsing: text),
          case .offsetDateTime = date
        else {
          let fields = hidesContent ? "" : ": \(table.keys)"
          throw Failure(message: "\(place), has a transformable value that is not a date\(fields).")
        }
        return date
      }
      if case .string(let identifier)? = table["gs_identifier"] {
        guard identifier == "kGSAnonymousObject" else {
          guard case .string(let type)? = table["gs_type"], let data = values[[type, identifier]] else {
            return .string(identifier)
          }
          return try self.value(of: data, decrypt)
        }
        guard case .string(let data)? = table["kGSAnonymousDataKey"] else {
          throw Failure(message: "\(place), has an anonymous object without data.")
        }
        var inner = try self.value(of: data, decrypt)
        if case .table(var fields) = inner, fields["syncStatus"] == nil, let status = table["gs_syncStatus"] {
          fields["syncStatus"] = status
          inner = .table(fields)
        }
        return inner
      }
      var result = TOMLTable()
      for (key, item) in table { result[key] = try modern(item, decrypt) }
      return .table(result)
    default: return value
    }
  }

  // MARK: Numbers

  /// A JSON text with the numbers that a floating-point number would round in quotes, and these numbers.
  ///
  /// Only decimal numbers are written with so many digits, and those are read from text.
  private static func withExactNumbers(_ text: String) -> (text: String, numbers: [String]) {
    var numbers: [String] = []
    var result: [UInt8] = []
    var number: [UInt8] = []
    var isInString = false
    var isEscaped = false
    for byte in Array(text.utf8) + [0x20] {
      if isInString {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
        result.append(byte)
        continue
      }
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
        UInt8(ascii: "e") where !number.isEmpty, UInt8(ascii: "E") where !number.isEmpty:
        number.append(byte)
        continue
      case UInt8(ascii: "\""): isInString = true
      default: break
      }
      if !number.isEmpty {
        let text = String(decoding: number, as: UTF8.self)
        // Integers stay exact as far as there is a type for them.
        if Int64(text) == nil, UInt64(text) == nil, isRounded(text), (try? JSONText.value(of: text)) != nil {
          numbers.append(text)
          number = Array("\"\(text)\"".utf8)
        }
        result += number
        number = []
      }
      result.append(byte)
    }
    return numbers.isEmpty ? (text, []) : (String(decoding: result, as: UTF8.self), numbers)
  }

  private static func isRounded(_ text: String) -> Bool {
    guard let number = Double(text) else { return false }
    // What has a longer power of ten is not zero, which it would become.
    guard let written = DecimalDigits(text, powerBelow: Int.max / 2) else { return true }
    // As many digits as written, or none for zero.
    let count = max(written.count, 1)
    let format = "%.\(count - 1)e"
    var buffer = [CChar](repeating: 0, count: count + 32)
    _ = withVaList([number]) { vsnprintf(&buffer, buffer.count, format, $0) }
    let printed = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return DecimalDigits(String(decoding: printed, as: UTF8.self), powerBelow: Int.max / 2) != written
  }
}
