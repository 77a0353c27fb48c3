import AppSettings
import AppSettingsImport
import Foundation

/// Reads the objects of an archive as `NSKeyedUnarchiver` does with secure coding: it creates only objects of the
/// requested classes.
///
/// An archive from elsewhere may contain anything. Foundation's own reader on Linux ends the program for a field of
/// another class, for an unknown class and for a cycle of references; here each of these is `nil`. Classes are found by
/// their own names, whatever module and outer types they have in the archive.
final class ArchiveReader: NSCoder {
  private let archive: KeyedArchive
  /// The fields of the objects that are being read, innermost last.
  private var open: [[String: KeyedArchive.Node]] = []
  /// The objects created so far, by their numbers in the archive: each is created once.
  private var made: [Int: NSObject] = [:]
  /// What may still be read. An object that cannot be created is read again wherever it is referred to, and a few that
  /// refer to each other would take for ever.
  private var budget = ImportBudget()
  /// What the `init(coder:)` that runs now has reported with `failWithError`.
  private var failure: (any Error)?

  init(_ archive: KeyedArchive) { self.archive = archive }

  override var allowsKeyedCoding: Bool { true }
  override var requiresSecureCoding: Bool { true }

  private func field(_ key: String) -> KeyedArchive.Node? { archive.resolved(open.last?[key]) }

  /// Returns a node as an object of one of some classes; `nil` if it is of another class.
  func object(_ node: KeyedArchive.Node, of classes: [AnyClass]) -> NSObject? {
    // A cycle of references would never end.
    guard open.count < ImportBudget.mostNested, (try? budget.take()) != nil else { return nil }
    func allowed(_ object: NSObject?) -> NSObject? {
      classes.contains { object?.isKind(of: $0) == true } ? object : nil
    }
    if case .reference(let number) = node, let object = made[number] { return allowed(object) }
    let object: NSObject?
    switch archive.resolved(node) {
    case .value(.string(let text))?: object = NSString(string: text)
    case .value(.integer(let number))?: object = NSNumber(value: number)
    case .value(.float(let number))?: object = NSNumber(value: number)
    case .value(.boolean(let flag))?: object = NSNumber(value: flag)
    case .data(let bytes)?: object = NSData(data: Data(bytes))
    case .date(let seconds)?: object = NSDate(timeIntervalSinceReferenceDate: seconds)
    default: object = archive.object(node).flatMap { self.object($0, of: classes) }
    }
    if case .reference(let number) = node { made[number] = object }
    return allowed(object)
  }

  private func object(_ object: KeyedArchive.Object, of classes: [AnyClass]) -> NSObject? {
    switch archive.content(of: object) {
    case .null?: return NSNull()
    case .text(let text)?: return NSString(string: text)
    case .url(let url)?: return url as NSURL
    case .uuid(let uuid)?: return uuid as NSUUID
    case .date(let seconds)?: return NSDate(timeIntervalSinceReferenceDate: seconds)
    case .data(let bytes)?: return NSData(data: Data(bytes))
    case .list(let items)?:
      let elements = inside([:]) { items.compactMap { self.object($0, of: classes) } }
      if object.className.hasSuffix("OrderedSet") { return NSOrderedSet(array: elements) }
      return object.className.hasSuffix("Set") ? NSSet(array: elements) : NSArray(array: elements)
    case .entries(let entries)?:
      let result = NSMutableDictionary()
      inside([:]) {
        for (key, value) in entries {
          guard let key = self.object(key, of: classes), let value = self.object(value, of: classes) else { continue }
          result.setObject(value, forKey: key)
        }
      }
      return result
    case nil:
      let name = object.ownClassName
      guard
        let type = classes.first(where: { String(describing: $0).prefix { $0 != "<" } == name })
          as? any NSSecureCoding.Type,
        type.supportsSecureCoding
      else { return nil }
      let outer = failure
      defer { failure = outer }
      failure = nil
      let made = inside(object.fields) { type.init(coder: self) as? NSObject }
      return failure == nil ? made : nil
    }
  }

  private func inside<Result>(_ fields: [String: KeyedArchive.Node], _ body: () -> Result) -> Result {
    open.append(fields)
    defer { open.removeLast() }
    return body()
  }

  // MARK: Requests of classes

  // Whatever `NSCoder` leaves to its subclasses ends the program if they lack it.

  override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
  override var error: (any Error)? { failure }
  override func failWithError(_ error: any Error) { failure = failure ?? error }
  override var allowedClasses: [AnyClass]? { nil }
  override func version(forClassName className: String) -> Int { 0 }
  // An archive with keys has no values without one.
  override func decodeObject() -> Any? { nil }
  override func decodeData() -> Data? { nil }
  override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {}

  override func containsValue(forKey key: String) -> Bool { open.last?[key] != nil }

  override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
    open.last?[key].flatMap { object($0, of: classes ?? []) }
  }

  override func decodeObject<Decoded: NSCoding>(of type: Decoded.Type, forKey key: String) -> Decoded?
  where Decoded: NSObject { decodeObject(of: [type], forKey: key) as? Decoded }

  /// Without a class, returns only values: other objects have to be requested by class.
  override func decodeObject(forKey key: String) -> Any? {
    decodeObject(of: [NSString.self, NSNumber.self, NSData.self, NSDate.self], forKey: key)
  }

  override func decodePropertyList(forKey key: String) -> Any? {
    decodeObject(
      of: [NSString.self, NSNumber.self, NSData.self, NSDate.self, NSArray.self, NSDictionary.self], forKey: key)
  }

  override func withDecodedUnsafeBufferPointer<Result>(
    forKey key: String, body: (UnsafeBufferPointer<UInt8>?) throws -> Result
  ) rethrows -> Result {
    guard case .data(let bytes)? = field(key) else { return try body(nil) }
    return try bytes.withUnsafeBufferPointer { try body($0) }
  }

  private func number(_ key: String) -> NSNumber? {
    field(key).flatMap { object($0, of: [NSNumber.self]) } as? NSNumber
  }

  override func decodeBool(forKey key: String) -> Bool { number(key)?.boolValue ?? false }
  override func decodeInteger(forKey key: String) -> Int { number(key)?.intValue ?? 0 }
  override func decodeInt32(forKey key: String) -> Int32 { number(key)?.int32Value ?? 0 }
  override func decodeInt64(forKey key: String) -> Int64 { number(key)?.int64Value ?? 0 }
  override func decodeFloat(forKey key: String) -> Float { number(key)?.floatValue ?? 0 }
  override func decodeDouble(forKey key: String) -> Double { number(key)?.doubleValue ?? 0 }
}
