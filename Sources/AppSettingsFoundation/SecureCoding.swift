public import AppSettings
public import Foundation

extension SettingsBridge where Value: NSObject & NSSecureCoding & SendableMetatype {
  /// An archive of the object, as a string in Base64: for classes whose only stored form is that of `NSSecureCoding`.
  ///
  /// What is read was written for the same class and is as it was written: eight bytes before the archive are a
  /// checksum of it and the class's name. Foundation on Linux ends the program where `init(coder:)` asks for an object
  /// of another class than the archive has: a class should not change what its fields are. No one can edit such a value
  /// by hand: where the class has a few fields, a ``map(expecting:read:write:)`` of a `Codable` struct makes a better
  /// file, and a safer one.
  ///
  /// ```swift
  /// static let frog = SettingsKey<Froggy?>("frog", bridge: .secureCoding)
  /// ```
  public static var secureCoding: SettingsBridge {
    Data.settingsBridge.map(
      expecting: "an archived object of class \(Value.self), as a string in Base64",
      read: { data in
        // Foundation's reader of archives traps on some that were cut or changed, and on those of other classes.
        guard let archive = checked(data) else { return nil }
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: archive)
      },
      write: { object in
        let archive = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return checksum(of: archive) + archive
      })
  }

  /// The archive behind its checksum; `nil` if that is wrong.
  private static func checked(_ data: Data) -> Data? {
    guard data.count > 8 else { return nil }
    let archive = Data(data.dropFirst(8))
    return checksum(of: archive) == data.prefix(8) ? archive : nil
  }

  /// FNV-1a of 64 bits of the class's name and the archive, the highest byte first.
  private static func checksum(of data: Data) -> Data {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in Data(NSStringFromClass(Value.self).utf8) + data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return withUnsafeBytes(of: hash.bigEndian) { Data($0) }
  }
}

extension SettingsSerializable where Self: NSObject & NSSecureCoding {
  /// An archive of the object, as a string in Base64; see ``SettingsBridge/secureCoding``.
  public static var settingsBridge: SettingsBridge<Self> { .secureCoding }
}
