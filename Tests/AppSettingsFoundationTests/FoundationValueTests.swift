import AppSettings
import AppSettingsFoundation
import Foundation
import Testing
import TestSupport

struct FoundationValueTests {
  let home = ScratchHome()

  private func roundTrip<Value: SettingsSerializable & Equatable>(_ value: Value, _ stored: TOMLValue) throws {
    #expect(try Value.settingsBridge.write(value) == stored)
    #expect(try Value.settingsBridge.read(stored) == value)
  }

  private func refusal<Value: SettingsSerializable>(_ type: Value.Type, _ stored: TOMLValue) -> String {
    do {
      return "read as \(try type.settingsBridge.read(stored))"
    } catch {
      return (error as? SettingsValueError)?.message ?? "\(error)"
    }
  }

  @Test func `numbers and geometry are floats and tables of floats`() throws {
    try roundTrip(CGFloat(2), 2.0)
    try roundTrip(CGPoint(x: 1, y: -2.5), ["x": 1.0, "y": -2.5])
    try roundTrip(CGSize(width: 640, height: 480), ["width": 640.0, "height": 480.0])
    try roundTrip(
      CGRect(x: 1, y: 2, width: -3, height: 4), ["x": 1.0, "y": 2.0, "width": -3.0, "height": 4.0])
    try roundTrip([CGPoint.zero], [["x": 0.0, "y": 0.0]])
    try roundTrip(["a": CGFloat(1)], ["a": 1.0])
    #expect(try CGSize.settingsBridge.read(["width": 1, "height": 2]) == CGSize(width: 1, height: 2))
    #expect(try CGFloat.settingsBridge.read(.float(.nan)).isNaN)
  }

  @Test func `bad geometry is refused with what is needed`() {
    #expect(refusal(CGFloat.self, "1") == "Found the string \"1\", but a number is needed.")
    #expect(refusal(CGPoint.self, ["x": "1", "y": 2]) == "Found the string \"1\" at 'x', but a number is needed.")
    #expect(refusal(CGPoint.self, ["x": 1]).contains("Found nothing at 'y'"))
    #expect(refusal(CGRect.self, [1, 2, 3, 4]).hasPrefix("Found the array [1, 2, 3, 4], but "))
    #expect(refusal([CGSize].self, [["width": 1, "height": true]]).contains("'[0].height'"))
  }

  @Test(arguments: ["en", "de_AT", "zh-Hant-TW", "en_US@calendar=buddhist", "en_US_POSIX", "sr_Latn_RS", ""])
  func `a locale is its identifier`(_ identifier: String) throws {
    try roundTrip(Locale(identifier: identifier), .string(identifier))
  }

  @Test(arguments: ["e", "de AT", "../etc", "en_US@calendar", "a@b=c@d=e", "überall", "en\u{0}US", "english language"])
  func `what is no locale's identifier is refused`(_ text: String) {
    #expect(refusal(Locale.self, .string(text)).hasSuffix("but a locale's identifier, like \"de_AT\" is needed."))
  }

  @Test func `an object is its archive in Base64, also within collections`() throws {
    let stored = try #require(try Froggy.settingsBridge.write(Froggy(name: "Ada", friend: Froggy(name: "Bob"))))
    guard case .string = stored else { throw CocoaError(.coderInvalidValue) }
    let frog = try Froggy.settingsBridge.read(stored)
    #expect(frog.name == "Ada")
    #expect(frog.friend?.name == "Bob")
    let settings = try home.store()
    settings[.frogs] = [Froggy(name: "a"), Froggy(name: "b")]
    settings[.frog] = frog
    try settings.flush()
    let other = try home.store()
    #expect(other[.frogs].map(\.name) == ["a", "b"])
    #expect(other[.frog]?.friend?.name == "Bob")
    settings[.frog] = nil
    try settings.flush()
    #expect(!settings.isSet(.frog))
  }

  @Test func `a class that an own archiver kept is migrated to its bridge`() throws {
    let home = ScratchHome()
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: Froggy(name: "Ada", friend: Froggy(name: "Bob")), requiringSecureCoding: true)
    try home.write("frog = \"\(archive.base64EncodedString())\"  # archived\n")
    let settings = try home.store()
    let old = SettingsOldForm<Froggy?> { value in
      guard case .string(let text) = value, let data = Data(base64Encoded: text),
        let frog = try NSKeyedUnarchiver.unarchivedObject(ofClass: Froggy.self, from: data)
      else { return nil }
      return frog
    }
    #expect(try settings.migrate(.frog, from: old))
    let frog = try #require(settings[.frog])
    #expect(frog.name == "Ada" && frog.friend?.name == "Bob")
    #expect(home.text()?.hasSuffix("\"  # archived\n") == true)
    #expect(try !settings.migrate(.frog, from: old))
  }

  @Test func `what is no archive, or one of another class, is refused`() throws {
    let other = try #require(try Toad.settingsBridge.write(Toad()))
    for stored in ["", "AAAA", "bm8gYXJjaGl2ZSBvZiBhbnkga2luZA==", other] {
      #expect(
        refusal(Froggy.self, stored).contains("an archived object of class Froggy, as a string in Base64"),
        "\(stored)")
    }
    #expect(refusal(Froggy.self, "!") == "Found the string \"!\", but a string in Base64 is needed.")
    #expect(refusal(Froggy.self, 1) == "Found the integer 1, but a string in Base64 is needed.")
  }

  @Test func `an archive that was cut or changed is refused, and traps nothing`() throws {
    guard case .string(let text)? = try Froggy.settingsBridge.write(Froggy(name: "Ada", friend: Froggy(name: "Bob"))),
      let archive = Data(base64Encoded: text)
    else { throw CocoaError(.coderInvalidValue) }
    let message = "but an archived object of class Froggy, as a string in Base64 is needed."
    for length in stride(from: 1, to: archive.count, by: 7) {
      #expect(refusal(Froggy.self, .string(archive.prefix(length).base64EncodedString())).hasSuffix(message))
    }
    for index in stride(from: 0, to: archive.count, by: 5) {
      var changed = archive
      changed[changed.startIndex + index] ^= 0x11
      #expect(refusal(Froggy.self, .string(changed.base64EncodedString())).hasSuffix(message))
    }
  }

  @Test func `a class that archives have no name for is refused, and traps nothing`() throws {
    func expect<T: NSObject & NSSecureCoding & Sendable>(_ object: T, _ name: String) throws {
      let bridge = SettingsBridge<T>.secureCoding
      let reason = "the class '\(name)' has no name in archives, as it is nested, private or generic"
      let error = #expect(throws: SettingsValueError.self) { try bridge.write(object) }
      #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
      for text in ["", "AAAA", "bm8gYXJjaGl2ZSBvZiBhbnkga2luZA==", String(repeating: "AQID", count: 100)] {
        let error = #expect(throws: SettingsValueError.self) { try bridge.read(.string(text)) }
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
      }
    }
    try expect(HiddenFrog(), "HiddenFrog")
    try expect(Pond.NestedFrog(), "NestedFrog")
    try expect(GenericFrog<Int>(), "GenericFrog<Int>")
    final class LocalFrog: NSObject, NSSecureCoding, Sendable {
      static var supportsSecureCoding: Bool { true }
      override init() {}
      init?(coder: NSCoder) {}
      func encode(with coder: NSCoder) {}
    }
    try expect(LocalFrog(), "LocalFrog")

    // Nor may it be within another one.
    let owner = FrogOwner(frog: HiddenFrog())
    let error = #expect(throws: SettingsValueError.self) { try SettingsBridge<FrogOwner>.secureCoding.write(owner) }
    #expect(error?.message.contains("the class 'HiddenFrog' has no name") == true)
    let stored = try #require(try SettingsBridge<FrogOwner>.secureCoding.write(FrogOwner(frog: Froggy(name: "a"))))
    #expect(try SettingsBridge<FrogOwner>.secureCoding.read(stored).isOfFroggy)

    let text = "frog = \"AAAAAAAAAAAAAAAAAAAAAA==\"\n"
    try home.write(text)
    let settings = try home.store()
    let key = SettingsKey<HiddenFrog?>("frog", bridge: .secureCoding)
    #expect(settings[key] == nil)
    #expect(throws: SettingsError.self) { try settings.set(HiddenFrog(), for: key) }
    #expect(settings.currentProblems.count == 1 && home.text() == text)
  }
}

private final class HiddenFrog: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {}
}

enum Pond {
  final class NestedFrog: NSObject, NSSecureCoding, Sendable {
    static var supportsSecureCoding: Bool { true }
    override init() {}
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
  }
}

final class GenericFrog<T>: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) {}
}

final class FrogOwner: NSObject, NSSecureCoding, Sendable {
  static var supportsSecureCoding: Bool { true }
  let isOfFroggy: Bool
  private let frog: (any NSObject & Sendable)?
  init(frog: (any NSObject & Sendable)?) { (self.frog, isOfFroggy) = (frog, frog is Froggy) }
  init?(coder: NSCoder) { (frog, isOfFroggy) = (nil, coder.decodeObject(of: Froggy.self, forKey: "frog") != nil) }
  func encode(with coder: NSCoder) { coder.encode(frog, forKey: "frog") }
}

final class Toad: NSObject, NSSecureCoding, SettingsSerializable, Sendable {
  static var supportsSecureCoding: Bool { true }
  override init() {}
  init?(coder: NSCoder) {}
  func encode(with coder: NSCoder) { coder.encode(1, forKey: "warts") }
}

final class Froggy: NSObject, NSSecureCoding, SettingsSerializable, Sendable {
  let name: String
  let friend: Froggy?

  init(name: String, friend: Froggy? = nil) {
    self.name = name
    self.friend = friend
  }

  static var supportsSecureCoding: Bool { true }

  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = name as String
    friend = coder.decodeObject(of: Froggy.self, forKey: "friend")
  }

  func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(friend, forKey: "friend")
  }
}

extension SettingsKeys {
  fileprivate static let frogs = SettingsKey<[Froggy]>("frogs", default: [])
  fileprivate static let frog = SettingsKey<Froggy?>("frog", bridge: .secureCoding)
}
