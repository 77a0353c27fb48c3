public import AppSettings
public import Foundation

extension SettingsBridge where Value: NSObject & NSSecureCoding & SendableMetatype {
  /// Stores an archive of the object as a Base64 string, for classes whose only stored form is `NSSecureCoding`.
  ///
  /// Eight bytes before the archive are a checksum of it and the class's name. So a value is read only if it was
  /// written for the same class and is unchanged. Foundation on Linux ends the program if `init(coder:)` requests an
  /// object of another class than the archive has, so a class should not change the types of its fields. Nobody can
  /// edit such a value by hand. If the class has only a few fields, `map(expecting:read:write:)` with a `Codable`
  /// struct makes a more readable and safer file.
  ///
  /// Foundation on Linux can archive only top-level classes that are neither private nor generic. Reading or writing an
  /// object of another class, or one that contains such an object, throws an error that says so.
  ///
  /// ```swift
  /// static let frog = SettingsKey<Froggy?>("frog", bridge: .secureCoding)
  /// ```
  public static var secureCoding: SettingsBridge {
    Data.settingsBridge.map(
      expecting: "an archived object of class \(Value.self), as a string in Base64",
      read: { data in
        try UnnamedClass.check(Value.self)
        // Foundation's archive reader traps on some damaged archives, and on those of other classes.
        guard let archive = checked(data) else { return nil }
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: archive)
      },
      write: { object in
        try UnnamedClass.check(Value.self)
        let archive = try archive(of: object)
        return checksum(of: archive) + archive
      })
  }

  private static func archive(of object: Value) throws -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: true)
    let classes = ClassCheck()
    archiver.delegate = classes
    archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    if let error = classes.error { throw error }
    if let error = archiver.error { throw error }
    return archiver.encodedData
  }

  /// The archive after its checksum; `nil` if the checksum is wrong.
  private static func checked(_ data: Data) -> Data? {
    guard data.count > 8 else { return nil }
    let archive = Data(data.dropFirst(8))
    return checksum(of: archive) == data.prefix(8) ? archive : nil
  }

  /// The 64-bit FNV-1a hash of the class's name and the archive, highest byte first.
  private static func checksum(of data: Data) -> Data {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in Data(NSStringFromClass(Value.self).utf8) + data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return withUnsafeBytes(of: hash.bigEndian) { Data($0) }
  }
}

extension SettingsSerializable where Self: NSObject & NSSecureCoding {
  /// Stores an archive of the object as a Base64 string; see ``AppSettings/SettingsBridge/secureCoding``.
  public static var settingsBridge: SettingsBridge<Self> { .secureCoding }
}

/// A class without a name for archives: asking Foundation for the name would end the program.
private struct UnnamedClass: Error, CustomStringConvertible {
  let name: String

  var description: String {
    "the class '\(name)' has no name in archives, as it is nested, private or generic; declare it at the top level"
  }

  static func check(_ type: AnyClass) throws(UnnamedClass) {
    let name = String(reflecting: type)
    guard name.split(separator: ".", omittingEmptySubsequences: false).count != 2 || name.contains("<") else { return }
    throw UnnamedClass(name: String(describing: type))
  }
}

/// Checks the class of each object before Foundation asks for its name, and replaces an object without one with an
/// empty string.
private final class ClassCheck: NSObject, NSKeyedArchiverDelegate {
  private(set) var error: UnnamedClass?

  func archiver(_ archiver: NSKeyedArchiver, willEncode object: Any) -> Any? {
    guard let encoded = object as? NSObject else { return object }
    do throws(UnnamedClass) {
      try UnnamedClass.check(encoded.classForKeyedArchiver ?? type(of: encoded))
      return object
    } catch {
      self.error = error
      return NSString()
    }
  }

  func archiver(_ archiver: NSKeyedArchiver, didEncode object: Any?) {}
  func archiver(_ archiver: NSKeyedArchiver, willReplace object: Any?, withObject newObject: Any?) {}
  func archiverWillFinish(_ archiver: NSKeyedArchiver) {}
  func archiverDidFinish(_ archiver: NSKeyedArchiver) {}
}
