import AppSettings

/// A type that chooses the name of its records in a garage.
///
/// Other types use their own name, prefixed with those of the types they are nested in: `Person`, `Hotel.Guest`. To
/// rename a type without losing its records, name the records:
///
/// ```swift
/// struct Customer: Codable, Identifiable, GarageNamed {
///   static let recordName = "Customer"
///   static let formerNames = ["MCCustomer"]
///   var id: String
/// }
/// ```
public protocol GarageNamed {
  /// The name of the table that holds the records. It must not begin with `settings-`.
  static var recordName: String { get }
  /// The record names of earlier releases, newest first.
  ///
  /// Records under these names are found too, and move to ``recordName`` when they are next parked.
  static var formerNames: [String] { get }
}

extension GarageNamed {
  /// An empty array.
  public static var formerNames: [String] { [] }
}

/// The types that a garage has used and their names, so that no two share one.
final class GarageNames: Sendable {
  struct Entry: Sendable {
    /// The newest name first.
    let all: [String]
    var name: String { all[0] }
    var former: ArraySlice<String> { all.dropFirst() }
  }

  private struct State: Sendable {
    var entries: [ObjectIdentifier: Entry] = [:]
    var owners: [String: String] = [:]
  }

  // Protects the table. Types are asked for their names before it is locked.
  private let state = Lock(State())

  /// The names of a type.
  ///
  /// - Throws: ``SettingsError`` `invalidKey` for a name that another type has, or that no table may have.
  func entry(of type: Any.Type) throws(SettingsError) -> Entry {
    if let known = state.withLock({ $0.entries[ObjectIdentifier(type)] }) { return known }
    let record = type as? any GarageNamed.Type
    let name = record?.recordName ?? Self.defaultName(of: type)
    // The present name is not an earlier one: records under it must not move.
    let former = (record?.formerNames ?? []).filter { $0 != name }
    let entry = Entry(all: [name] + former)
    let typeName = String(reflecting: type)
    for name in entry.all { try Self.check(name, of: typeName) }
    let other = state.withLock { state -> String? in
      if let owner = state.owners[entry.name] { return owner }
      state.owners[entry.name] = typeName
      state.entries[ObjectIdentifier(type)] = entry
      return nil
    }
    // Another thread may have been first with the same type.
    if let other, state.withLock({ $0.entries[ObjectIdentifier(type)] }) == nil {
      throw SettingsError(
        .invalidKey,
        "Cannot keep '\(typeName)' as '\(entry.name)': '\(other)' is kept under that name in this garage. Give one of "
          + "them another 'recordName'.")
    }
    return entry
  }

  /// Throws if no records can be kept under a name.
  static func check(_ name: String, of type: String) throws(SettingsError) {
    guard name.isEmpty || SettingsFormat.isReserved(name) else { return }
    throw SettingsError(
      .invalidKey,
      "Cannot keep '\(type)' as '\(name)': a record name must not be empty or begin with 'settings-'. Give it another "
        + "'recordName'.")
  }

  /// A type's name without its module, and without the build-dependent parts of private and local types.
  static func defaultName(of type: Any.Type) -> String {
    var components: [Substring] = []
    var depth = 0
    let text = String(reflecting: type)
    var start = text.startIndex
    for index in text.indices {
      switch text[index] {
      case "(", "<": depth += 1
      case ")", ">": depth -= 1
      case "." where depth == 0:
        components.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    components.append(text[start...])
    return components.dropFirst().filter { !$0.hasPrefix("(") }.joined(separator: ".")
  }
}
