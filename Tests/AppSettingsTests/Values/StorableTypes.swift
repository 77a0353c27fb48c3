import AppSettings
import FoundationEssentials

/// A type that can be stored, and what has to hold of it for any value that a file may have. The fuzzer of values has
/// this file too.
struct StorableType: Sendable {
  let name: String
  /// What is wrong, where something is.
  let fault: @Sendable (TOMLValue) -> String?

  init<T: SettingsSerializable>(_ type: T.Type, _ bridge: SettingsBridge<T>? = nil) {
    name = "\(type)"
    fault = { value in StorableType.fault(in: bridge ?? type.settingsBridge, value) }
  }

  /// A value is read or refused; what is read is written, as text that a file can hold, and read again as it was.
  private static func fault<T>(in bridge: SettingsBridge<T>, _ value: TOMLValue) -> String? {
    let read: T
    do {
      read = try bridge.read(value)
    } catch {
      guard let error = error as? SettingsValueError else { return "threw \(Swift.type(of: error)) for \(value)" }
      return error.message.hasPrefix("Found ") ? nil : "said '\(error.message)'"
    }
    do {
      guard let written = try bridge.write(read) else { return "read \(value), and writes nothing" }
      guard try TOMLValue(parsing: written.tomlText) == written else { return "wrote \(written), which is no TOML" }
      let again = try bridge.read(written)
      guard try bridge.write(again) == written else { return "read \(value), wrote \(written), and read another" }
      // Not-a-number differs from itself.
      if written.tomlText.lowercased().contains("nan") { return nil }
      return isOther(read, again) ? "read \(value) and wrote \(written), which reads as \(again)" : nil
    } catch {
      return "read \(value) as \(read), and then: \(error)"
    }
  }

  private static func isOther<T>(_ one: T, _ other: T) -> Bool {
    func differ<E: Equatable>(_ one: E) -> Bool { (other as? E) != one }
    return (one as? any Equatable).map { differ($0) } ?? false
  }

  /// Every bridge of the library, alone and composed.
  static let all: [StorableType] = [
    StorableType(Bool.self), StorableType(Int.self), StorableType(Int8.self), StorableType(Int16.self),
    StorableType(Int32.self), StorableType(Int64.self), StorableType(UInt.self), StorableType(UInt8.self),
    StorableType(UInt16.self), StorableType(UInt32.self), StorableType(UInt64.self), StorableType(Double.self),
    StorableType(Float.self), StorableType(String.self), StorableType(Substring.self), StorableType(Character.self),
    StorableType(Date.self), StorableType(Data.self), StorableType(URL.self), StorableType(UUID.self),
    StorableType(Decimal.self), StorableType(Duration.self), StorableType(TimeZone.self), StorableType(TOMLValue.self),
    StorableType(TOMLTable.self), StorableType(TOMLOffsetDateTime.self), StorableType(TOMLLocalDateTime.self),
    StorableType(TOMLLocalDate.self), StorableType(TOMLLocalTime.self),
    // Composed ones.
    StorableType(Int?.self), StorableType([Int].self), StorableType([[Double]].self), StorableType([Date].self),
    StorableType([UInt8].self), StorableType([TOMLValue].self), StorableType(Set<String>.self),
    StorableType(Set<Double>.self), StorableType(Set<[Double]>.self),
    StorableType(Set<Decimal>.self), StorableType(Set<Date>.self), StorableType(Set<Duration>.self),
    StorableType(Set<TOMLValue>.self), StorableType(Set<URL>.self), StorableType(Set<Character>.self),
    StorableType(Range<Int>.self), StorableType(ClosedRange<Int>.self), StorableType(Range<Double>.self),
    StorableType(ClosedRange<Float>.self), StorableType(Range<Date>.self), StorableType(ClosedRange<Duration>.self),
    StorableType(ClosedRange<Decimal>.self), StorableType(Range<String>.self), StorableType([Range<UInt64>].self),
    StorableType(ClosedRange<Character>.self),
    // Dictionaries by every kind of key.
    StorableType([String: Int].self), StorableType([Int: Int].self), StorableType([UInt64: Int].self),
    StorableType([Double: Int].self), StorableType([Float: Int].self), StorableType([Bool: Int].self),
    StorableType([Character: Int].self), StorableType([Date: Int].self), StorableType([Data: Int].self),
    StorableType([URL: Int].self), StorableType([UUID: Int].self), StorableType([Decimal: Int].self),
    StorableType([Duration: Int].self), StorableType([TimeZone: Int].self), StorableType([Substring: Int].self),
    StorableType([AnyLetter: Int].self), StorableType([AnyPair: Int].self), StorableType([String?: Int].self),
    StorableType([Int?: [String: [Date]]].self), StorableType([String: TOMLValue].self),
    // Types of one's own.
    StorableType(AnyColor.self), StorableType(AnyLetter.self), StorableType(AnyOptions.self),
    StorableType(AnyPair.self),
    StorableType([AnyColor].self), StorableType([AnyColor: AnyOptions].self), StorableType(AnyRecord.self),
    StorableType([AnyRecord].self), StorableType([String: AnyRecord].self), StorableType(Set<AnyRecord>.self),
    StorableType(AnyTree.self), StorableType(AnyShape.self), StorableType(AnyMapped.self), StorableType(AnyPile.self),
    StorableType(AnyRecord.self, .codable(over: AnyRecord(name: "fallback"))),
    StorableType(Character.self, .losslessString), StorableType(Int.self, .losslessString),
    StorableType(Double.self, .losslessString), StorableType(Substring.self, .losslessString),
    StorableType(
      Duration.self,
      Duration.settingsBridge.fallingBack(
        to: Double.settingsBridge.map {
          guard $0.magnitude < 1e9 else { throw SettingsValueError(expected: "less", foundText: "more") }
          return .seconds($0)
        } write: {
          Double($0.components.seconds)
        })),
  ]
}

enum AnyColor: String, CaseIterable, SettingsSerializable { case red, green = "g r", blue = "" }

enum AnyLetter: Character, SettingsSerializable { case a = "a", other = "é" }

struct AnyOptions: OptionSet, Hashable, SettingsSerializable { let rawValue: Int8 }

/// Read from and written as its description, and as a table: a key of dictionaries by the first.
struct AnyPair: LosslessStringConvertible, Hashable, Codable, SettingsSerializable {
  var one: Int
  var other: Int

  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let one = parts[0], let other = parts[1] else { return nil }
    (self.one, self.other) = (one, other)
  }

  var description: String { "\(one):\(other)" }
}

struct AnyRecord: Codable, Hashable, SettingsSerializable {
  var name: String
  var size: UInt8?
  var dates: [Date] = []
  var weights: [String: Float] = [:]
  var color: String?
  var home: URL?
  var span: Duration?
  var extra: TOMLValue?

  private enum CodingKeys: String, CodingKey { case name, size, dates, weights, color, home, span, extra }

  init(name: String) { self.name = name }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    name = try fields.decode(String.self, forKey: .name)
    size = try fields.decodeIfPresent(UInt8.self, forKey: .size)
    dates = try fields.decodeIfPresent([Date].self, forKey: .dates) ?? []
    weights = try fields.decodeIfPresent([String: Float].self, forKey: .weights) ?? [:]
    color = try fields.decodeIfPresent(String.self, forKey: .color)
    home = try fields.decodeIfPresent(URL.self, forKey: .home)
    span = try fields.decodeIfPresent(Duration.self, forKey: .span)
    extra = try fields.decodeIfPresent(TOMLValue.self, forKey: .extra)
  }
}

/// A type that holds itself.
struct AnyTree: Codable, Hashable, SettingsSerializable {
  var children: [AnyTree]?
  var named: [String: AnyTree]?
}

/// An enumeration with values, as the compiler makes it `Codable`.
indirect enum AnyShape: Codable, Hashable, Sendable, SettingsSerializable {
  case dot
  case circle(radius: Double)
  case both(AnyShape, AnyShape)
}

struct AnyMapped: Hashable, SettingsSerializable {
  var text: String
  static let settingsBridge = String.settingsBridge.map(
    expecting: "a text in brackets",
    read: { $0.first == "[" && $0.count > 1 ? AnyMapped(text: String($0.dropFirst())) : nil },
    write: { "[" + $0.text })
}

struct AnyPile: Sequence, Hashable, SettingsSerializable {
  static let settingsBridge = [Decimal].settingsBridge.map(read: AnyPile.init, write: \.elements)
  var elements: [Decimal]
  init(_ elements: [Decimal]) { self.elements = elements }
  func makeIterator() -> IndexingIterator<[Decimal]> { elements.makeIterator() }
}
