public import AppSettings
public import Foundation

extension CGFloat: SettingsSerializable {
  /// Stored as a float, like a `Double`.
  public static let settingsBridge = Double.settingsBridge.mapKeepingValue(
    read: { CGFloat($0) }, write: { Double($0) })
}

extension CGPoint: SettingsSerializable {
  /// Stored as a table: `{ x = 1.0, y = 2.0 }`.
  public static let settingsBridge = SettingsBridge<Fields>.codable.map(
    read: { CGPoint(x: $0.x, y: $0.y) }, write: { Fields(x: Double($0.x), y: Double($0.y)) })

  private struct Fields: Codable, Sendable {
    var x, y: Double
  }
}

extension CGSize: SettingsSerializable {
  /// Stored as a table: `{ width = 640.0, height = 480.0 }`.
  public static let settingsBridge = SettingsBridge<Fields>.codable.map(
    read: { CGSize(width: $0.width, height: $0.height) },
    write: { Fields(width: Double($0.width), height: Double($0.height)) })

  private struct Fields: Codable, Sendable {
    var width, height: Double
  }
}

extension CGRect: SettingsSerializable {
  /// Stored as a table: `{ x = 1.0, y = 2.0, width = 640.0, height = 480.0 }`.
  public static let settingsBridge = SettingsBridge<Fields>.codable.map(
    read: { CGRect(x: $0.x, y: $0.y, width: $0.width, height: $0.height) },
    write: { rect in
      // Uses the stored origin and size: `minX` and `width` would normalize a negative size.
      Fields(
        x: Double(rect.origin.x), y: Double(rect.origin.y), width: Double(rect.size.width),
        height: Double(rect.size.height))
    })

  private struct Fields: Codable, Sendable {
    var x, y, width, height: Double
  }
}
