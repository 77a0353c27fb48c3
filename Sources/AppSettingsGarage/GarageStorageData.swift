import AppSettings
import Glibc

/// Reads the data of GarageStorage's rows: JSON with the special forms that `MappableObject`s write.
struct GarageStorageData {
  /// The row, for messages.
  let place: String
  /// Whether messages must not show the row's content.
  let hidesContent: Bool
  /// What was left out or rounded.
  private(set) var notes: [String] = []

  init(place: String, hidesContent: Bool) {
    self.place = place
    self.hidesContent = hidesContent
  }

  struct Failure: Error {
    /// A full sentence.
    var message: String
  }

  /// The value of a JSON text, in the form that `Codable` types read.
  mutating func value(of text: String) throws(Failure) -> TOMLValue {
    var nulls: [TOMLPath] = []
    let value: TOMLValue?
    do {
      value = try JSONText.value(of: text) { path in
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
    for number in Self.roundedNumbers(in: text) {
      notes.append(
        hidesContent
          ? "\(place): a number was rounded, because it has more digits than a floating-point number."
          : "\(place): the number \(number) was rounded to \(Double(number) ?? 0).")
    }
    guard let value else { throw Failure(message: "\(place), holds null, not an object.") }
    return try modern(value)
  }

  /// Replaces the three forms that `MappableObject`s write with those that `Codable` types read.
  private mutating func modern(_ value: TOMLValue) throws(Failure) -> TOMLValue {
    switch value {
    case .array(let items):
      var result: [TOMLValue] = []
      for item in items { result.append(try modern(item)) }
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
        guard identifier == "kGSAnonymousObject" else { return .string(identifier) }
        guard case .string(let data)? = table["kGSAnonymousDataKey"] else {
          throw Failure(message: "\(place), has an anonymous object without data.")
        }
        var inner = try self.value(of: data)
        if case .table(var fields) = inner, fields["syncStatus"] == nil, let status = table["gs_syncStatus"] {
          fields["syncStatus"] = status
          inner = .table(fields)
        }
        return inner
      }
      var result = TOMLTable()
      for (key, item) in table { result[key] = try modern(item) }
      return .table(result)
    default: return value
    }
  }

  // MARK: Numbers

  /// The numbers of a JSON text that a floating-point number would change.
  ///
  /// - Parameter text: Valid JSON.
  private static func roundedNumbers(in text: String) -> [String] {
    var rounded: [String] = []
    var number: [UInt8] = []
    var isInString = false
    var isEscaped = false
    for byte in Array(text.utf8) + [0x20] {
      if isInString {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
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
        if Int64(text) == nil, UInt64(text) == nil, isRounded(text) { rounded.append(text) }
        number = []
      }
    }
    return rounded
  }

  private static func isRounded(_ text: String) -> Bool {
    guard let number = Double(text), let written = Decimal(text) else { return false }
    // As many digits as written, or none for zero.
    let count = max(written.digits.count, 1)
    let format = "%.\(count - 1)e"
    var buffer = [CChar](repeating: 0, count: count + 32)
    _ = withVaList([number]) { vsnprintf(&buffer, buffer.count, format, $0) }
    let printed = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return Decimal(String(decoding: printed, as: UTF8.self)) != written
  }

  /// A number as written: its significant digits and its scale.
  private struct Decimal: Equatable {
    var isNegative: Bool
    var digits: [UInt8]
    /// The exponent of the last digit.
    var exponent: Int

    init?(_ text: String) {
      var digits: [UInt8] = []
      var exponent = 0
      var isFraction = false
      let parts = text.utf8.split(omittingEmptySubsequences: false) { $0 | 0x20 == UInt8(ascii: "e") }
      guard let mantissa = parts.first, parts.count <= 2 else { return nil }
      if parts.count == 2 {
        guard let written = Int(String(Substring(parts[1]))) else { return nil }
        exponent = written
      }
      for byte in mantissa {
        if byte == UInt8(ascii: ".") { isFraction = true }
        guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { continue }
        digits.append(byte)
        if isFraction { exponent -= 1 }
      }
      digits = Array(digits.drop { $0 == UInt8(ascii: "0") })
      while digits.last == UInt8(ascii: "0") {
        digits.removeLast()
        exponent += 1
      }
      isNegative = !digits.isEmpty && mantissa.first == UInt8(ascii: "-")
      self.digits = digits
      self.exponent = digits.isEmpty ? 0 : exponent
    }
  }
}
