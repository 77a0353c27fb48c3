package import AppSettings
package import FoundationEssentials

/// The output of `NSKeyedArchiver`: objects that refer to each other by number. Reading it runs no code of their
/// classes.
package struct KeyedArchive: Sendable {
  package typealias Node = PropertyListText.Node

  /// An object: the name of its class, for a Swift class with its module, and its fields.
  package struct Object: Sendable {
    package let className: String
    package let fields: [String: Node]

    /// The class's own name, without module and outer types: `Frog` for `Pond.Frog` and for `_TtCC4Pond4Pool4Frog`.
    package var ownClassName: Substring {
      MangledClassName(className)?.name ?? className.split(separator: ".").last ?? ""
    }
  }

  /// The content of an object of one of Foundation's classes.
  package enum Content: Sendable {
    case null
    case text(String)
    case url(URL)
    case uuid(UUID)
    /// Seconds since 2001.
    case date(Double)
    case data([UInt8])
    case list([Node])
    case entries([(key: Node, value: Node)])
  }

  private let objects: [Node]
  /// The archived root node.
  package let root: Node

  /// - Returns: `nil` for bytes that are no archive, or an archive without a root.
  /// - Throws: If the archive is above the limits.
  init?(_ bytes: [UInt8], _ budget: inout ImportBudget) throws(ImportFailure) {
    do throws(ImportFailure) {
      guard let members = try PropertyListText.node(of: bytes, &budget).fields,
        case .value("NSKeyedArchiver")? = members["$archiver"], case .array(let objects)? = members["$objects"],
        let root = members["$top"]?.fields?["root"]
      else { return nil }
      (self.objects, self.root) = (objects, root)
    } catch {
      if error.isLimit { throw error }
      return nil
    }
  }

  /// Creates the archive from a Base64 string; `nil` if the string contains none.
  package init?(base64 text: String) {
    var budget = ImportBudget()
    guard let data = Data(base64Encoded: text), let archive = try? KeyedArchive(Array(data), &budget) else {
      return nil
    }
    self = archive
  }

  /// The node itself, or the node that it refers to; `nil` for a dangling reference.
  package func resolved(_ node: Node?) -> Node? {
    guard case .reference(let number)? = node else { return node }
    guard objects.indices.contains(number) else { return nil }
    if case .value("$null") = objects[number] { return nil }
    return objects[number]
  }

  /// The node as an object; `nil` for a plain value.
  package func object(_ node: Node?) -> Object? {
    guard let fields = resolved(node)?.fields, let type = resolved(fields["$class"])?.fields,
      case .value(.string(let name))? = type["$classname"]
    else { return nil }
    return Object(className: name, fields: fields)
  }

  /// The content of an object if its class is one of Foundation's; `nil` for other classes.
  package func content(of object: Object) -> Content? {
    func field(_ name: String) -> Node? { resolved(object.fields[name]) }
    func text(_ name: String) -> String? { if case .value(.string(let text))? = field(name) { text } else { nil } }
    func items(_ name: String) -> [Node]? { if case .array(let items)? = field(name) { items } else { nil } }
    func bytes(_ name: String) -> [UInt8]? { if case .data(let bytes)? = field(name) { bytes } else { nil } }
    switch object.className {
    case "NSNull": return .null
    case "NSString", "NSMutableString": return text("NS.string").map { .text($0) }
    case "NSTimeZone": return text("NS.name").map { .text($0) }
    case "NSLocale": return text("NS.identifier").map { .text($0) }
    case "NSURL":
      // An archived base has no base of its own: Foundation makes it absolute first.
      let base = self.object(object.fields["NS.base"])?.fields["NS.relative"]
      guard let relative = text("NS.relative") else { return nil }
      guard case .value(.string(let base))? = resolved(base) else { return URL(string: relative).map { .url($0) } }
      return URL(string: relative, relativeTo: URL(string: base)).map { .url($0.absoluteURL) }
    case "NSUUID":
      guard let bytes = bytes("NS.uuidbytes"), bytes.count == 16 else { return nil }
      return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case "NSDate":
      if case .value(.float(let seconds))? = field("NS.time") { return .date(seconds) }
      if case .value(.integer(let seconds))? = field("NS.time") { return .date(Double(seconds)) }
      return nil
    case "NSData", "NSMutableData": return (bytes("NS.data") ?? bytes("NS.bytes")).map { .data($0) }
    case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet": return items("NS.objects").map { .list($0) }
    case "NSOrderedSet", "NSMutableOrderedSet":
      var items: [Node] = []
      while let item = object.fields["NS.object.\(items.count)"] { items.append(item) }
      return .list(items)
    case "NSDictionary", "NSMutableDictionary":
      guard let keys = items("NS.keys"), let values = items("NS.objects"), keys.count == values.count else {
        return nil
      }
      return .entries(zip(keys, values).map { ($0, $1) })
    default: return nil
    }
  }

  // MARK: Values

  /// The value of an archive that contains only values; `nil` for any other archive.
  ///
  /// - Parameter noteNull: Called for each null, which is left out.
  static func value(
    of bytes: [UInt8], _ budget: inout ImportBudget, noteNull: () -> Void
  ) throws(ImportFailure) -> TOMLValue? {
    guard let archive = try KeyedArchive(bytes, &budget) else { return nil }
    do {
      return try archive.value(&budget, noteNull: noteNull) { _, _ in throw NoValue() }
    } catch let error as ImportFailure {
      throw error
    } catch {
      return nil
    }
  }

  /// The archive as a value. A function returns the stored form of objects of classes other than Foundation's.
  package func value(_ convert: (Object, Node) throws -> TOMLValue?) throws -> TOMLValue? {
    var budget = ImportBudget()
    return try value(&budget, convert)
  }

  /// The archive contains an object without a value, or a cycle.
  private struct NoValue: Error, CustomStringConvertible {
    var description: String { "the archive holds an object that has no value, or itself" }
  }

  private func value(
    _ budget: inout ImportBudget, noteNull: () -> Void = {}, _ convert: (Object, Node) throws -> TOMLValue?
  ) throws -> TOMLValue? {
    // A value with two references is charged twice.
    func value(_ node: Node, _ depth: Int) throws -> TOMLValue? {
      guard depth < ImportBudget.mostNested else { throw NoValue() }
      try budget.take()
      if let object = object(node) {
        switch content(of: object) {
        case nil: return try convert(object, node)
        case .null?:
          noteNull()
          return nil
        case .text(let text)?: return try charged(.string(text))
        case .url(let url)?: return try URL.settingsBridge.write(url)
        case .uuid(let uuid)?: return try UUID.settingsBridge.write(uuid)
        case .date(let seconds)?: return PropertyListText.date(seconds)
        case .data(let bytes)?: return try charged(.string(Data(bytes).base64EncodedString()))
        case .list(let items)?: return .array(try items.compactMap { try value($0, depth + 1) })
        case .entries(let entries)?:
          var table = TOMLTable()
          for (key, item) in entries {
            guard let key = try value(key, depth + 1)?.scalarText else { throw NoValue() }
            table[key] = try value(item, depth + 1)
          }
          return .table(table)
        }
      }
      switch resolved(node) {
      case nil: return nil
      case .value(let value)?: return try charged(value)
      case .data(let bytes)?: return try charged(.string(Data(bytes).base64EncodedString()))
      case .date(let seconds)?: return PropertyListText.date(seconds)
      default: throw NoValue()
      }
    }
    func charged(_ value: TOMLValue) throws -> TOMLValue {
      if case .string(let text) = value { try budget.take(bytes: text.utf8.count) }
      return value
    }
    return try value(root, 0)
  }
}

extension PropertyListText.Node {
  /// The members of a dictionary, by name.
  fileprivate var fields: [String: PropertyListText.Node]? {
    guard case .table(let members) = self else { return nil }
    return Dictionary(members, uniquingKeysWith: { _, last in last })
  }
}
