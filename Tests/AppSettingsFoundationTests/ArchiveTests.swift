import AppSettings
import AppSettingsFoundation
import AppSettingsImport
import Foundation
import Testing
import TestSupport

/// Archives that `NSKeyedArchiver` has written elsewhere: whatever is in them, an object comes of it or an error.
struct ArchiveTests {
  private let exports = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../DocumentationTests/Fixtures/exports").standardizedFileURL.path

  private func settings(_ name: String) throws -> SettingsStore {
    let settings = SettingsStore(inMemory: "")
    try settings.importFile(exports + "/" + name, as: .propertyList)
    return settings
  }

  @Test(arguments: ["swiftyuserdefaults-5.plist", "swiftyuserdefaults-5.xml.plist"])
  func `one archive of an object, and one of an array of objects`(_ name: String) throws {
    let settings = try settings(name)
    let frog = SettingsKey<Froggy?>("frog")
    let frogs = SettingsKey<[Froggy]>("frogs", default: [])
    #expect(settings[frog] == nil)
    #expect(try settings.migrate(frog, from: .archive(of: Froggy.self)))
    #expect(try settings.migrate(frogs, from: .archive(of: Froggy.self)))
    #expect(settings[frog]?.name == "Ada")
    #expect(settings[frogs].map(\.name) == ["Ada", "Bob"])
    #expect(settings[frogs].first?.friend?.name == "Bob")
    #expect(try !settings.migrate(frogs, from: .archive(of: Froggy.self)))
  }

  @Test func `an array of archives, and objects that become another type`() throws {
    let settings = try settings("defaults-7.plist")
    let frogs = SettingsKey<[Froggy]>("frogs", default: [])
    #expect(try settings.migrate(frogs, from: .archive(of: Froggy.self)))
    #expect(settings[frogs].map(\.name) == ["Ada"])
    let tadpole = SettingsKey<Tadpole?>("frog")
    #expect(try settings.migrate(tadpole, from: .archive(of: Froggy.self) { ["name": .string($0.name)] }))
    #expect(settings[tadpole] == Tadpole(name: "Ada"))
  }

  @Test func `an archive that Foundation writes here`() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: Frog(name: "Ada", age: 1, friend: Frog(name: "Bob", age: 2)), requiringSecureCoding: true)
    let settings = SettingsStore(inMemory: "frog = \"\(data.base64EncodedString())\"\n")
    let key = SettingsKey<Frog?>("frog")
    #expect(try settings.migrate(key, from: .archive(of: Frog.self)))
    #expect(settings[key]?.friend?.name == "Bob" && settings[key]?.friend?.age == 2)
  }

  @Test func `cut, changed and hostile archives end in an object or an error, never the program`() throws {
    let settings = try settings("swiftyuserdefaults-5.plist")
    guard case .string(let text)? = settings.snapshot.root["frogs"], let data = Data(base64Encoded: text) else {
      throw CocoaError(.coderReadCorrupt)
    }
    let key = SettingsKey<[Froggy]?>("k")
    func read(_ bytes: Data) {
      let settings = SettingsStore(inMemory: "k = \"\(bytes.base64EncodedString())\"\n")
      if let error = settingsError({ try settings.migrate(key, from: .archive(of: Froggy.self)) }) {
        #expect(error.code == .migrationFailed)
      }
    }
    for count in stride(from: 0, to: data.count, by: 3) { read(data.prefix(count)) }
    for index in data.indices {
      for value in [0, 0xFF, data[index] ^ 0x80, data[index] &+ 1, data[index] &- 1] {
        var changed = data
        changed[index] = value
        read(changed)
      }
    }
  }

  /// An archive in XML, in Base64: `objects` begin with number 1.
  private func archive(_ objects: String) -> String {
    let list = """
      <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>
      <integer>100000</integer><key>$top</key><dict><key>root</key>\(reference(1))</dict>
      <key>$objects</key><array><string>$null</string>\(objects)</array></dict></plist>
      """
    return Data(list.utf8).base64EncodedString()
  }

  private func migrate(_ objects: String) throws -> Frog? {
    let settings = SettingsStore(inMemory: "k = \"\(archive(objects))\"\n")
    let key = SettingsKey<Frog?>("k")
    try settings.migrate(key, from: .archive(of: Frog.self))
    return settings[key]
  }

  private func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }
  private func type(_ name: String) -> String { "<dict><key>$classname</key><string>\(name)</string></dict>" }
  private func frog(_ fields: String, type: Int) -> String {
    "<dict><key>$class</key>\(reference(type))\(fields)</dict>"
  }

  @Test func `fields of another type are nil, and classes that were not asked for are not made`() throws {
    let name = "<key>name</key>\(reference(2))"
    #expect(try migrate(frog(name, type: 3) + "<string>Ada</string>" + type("Frog"))?.name == "Ada")
    #expect(try migrate(frog(name, type: 3) + "<string>Ada</string>" + type("Old.Module.Frog"))?.name == "Ada")
    // 'init(coder:)' asks for a string.
    #expect(throws: SettingsError.self) { try migrate(frog(name, type: 3) + "<integer>5</integer>" + type("Frog")) }
    let friend = name + "<key>friend</key>\(reference(4))<key>age</key><string>x</string>"
    let toad = "<dict><key>$class</key>\(reference(5))</dict>" + type("Toad")
    let found = try migrate(frog(friend, type: 3) + "<string>Ada</string>" + type("Frog") + toad)
    #expect(found?.friend == nil && found?.age == 0)
    #expect(throws: SettingsError.self) {
      try migrate(frog(name, type: 3) + "<string>Ada</string>" + type("NSFileHandle"))
    }
    // A circle: the object is its own friend.
    let circle = name + "<key>friend</key>\(reference(1))"
    #expect(try migrate(frog(circle, type: 3) + "<string>Ada</string>" + type("Frog"))?.name == "Ada")
  }

  @Test func `a class may ask for bytes and property lists, and report that it cannot be made`() throws {
    func texts(_ fields: String) throws -> [String]? {
      let name = "<key>name</key>\(reference(2))"
      let objects = frog(name + fields, type: 3) + "<string>Ada</string>" + type("Newt")
      let settings = SettingsStore(inMemory: "k = \"\(archive(objects))\"\n")
      let key = SettingsKey<[String]?>("k")
      try settings.migrate(key, from: .archive(of: Newt.self) { .array($0.texts.map { .string($0) }) })
      return settings[key]
    }
    #expect(try texts("<key>bytes</key><data>AQI=</data>") == ["Ada", "[1, 2]"])
    #expect(throws: SettingsError.self) { try texts("") }
    #expect(throws: SettingsError.self) { try texts("<key>bytes</key><data>AQI=</data><key>isOld</key><true/>") }
  }

  @Test(arguments: [
    "_TtC5MyApp4Frog", "_TtCC5MyApp4Pond4Frog", "_TtCVO5MyApp4Pond5Water4Frog", "_TtCs4Frog",
    "_TtC5MyAppP33_0123456789ABCDEF0123456789ABCDEF4Frog", "_TtCC5MyAppP10_0123456784Pond4Frog", "_TtGC5MyApp4FrogSi_",
    "MyApp.Frog", "MyApp.Pond.Frog", "Frog",
  ])
  func `a class is found by its own name, however that is written`(name: String) throws {
    let objects = frog("<key>name</key>\(reference(2))", type: 3) + "<string>Ada</string>" + type(name)
    #expect(try migrate(objects)?.name == "Ada")
  }

  @Test(arguments: [
    "_Tt", "_TtC", "_TtC5MyApp", "_TtC999999999999999999999Frog", "_TtC5MyApp9Frog", "_TtC5MyApp4Toad", "_TtC-1Frog",
    "_TtCC5MyApp4Frog", "_TtCC5MyApp4Frog4Toad",
  ])
  func `a name that is none, or another class's, is not found`(name: String) throws {
    let objects = frog("<key>name</key>\(reference(2))", type: 3) + "<string>Ada</string>" + type(name)
    #expect(throws: SettingsError.self) { try migrate(objects) }
  }

  @Test func `ordered sets are arrays without duplicates`() throws {
    let items = "<key>NS.object.0</key>\(reference(2))<key>NS.object.1</key>\(reference(3))"
    let objects = frog(items, type: 4) + "<string>b</string><string>a</string>" + type("NSOrderedSet")
    let data = archive(objects)
    let list = "<plist><dict><key>k</key><data>\(data)</data></dict></plist>"
    let home = ScratchHome()
    try home.write(list, to: home.path + "/old.plist")
    let settings = SettingsStore(inMemory: "")
    try settings.importFile(home.path + "/old.plist", as: .propertyList)
    #expect(settings.snapshot.root["k"] == ["b", "a"])
  }

  @Test func `objects that refer to each other many times over are read so often and no more`() throws {
    // Each refers twice to the next, and none can be made: nothing that is made saves reading it again.
    let count = 22
    let twigs = (1...count).map { number in
      let next = number < count ? "<key>left</key>\(reference(number + 1))<key>right</key>\(reference(number + 1))" : ""
      return frog(next, type: count + 1)
    }
    let settings = SettingsStore(inMemory: "k = \"\(archive(twigs.joined() + type("Twig")))\"\n")
    #expect(throws: SettingsError.self) {
      try settings.migrate(SettingsKey<Twig?>("k"), from: .archive(of: Twig.self))
    }
    #expect(Twig.tries.value <= 1_000_000)
  }

  @Test func `a string that holds no archive is left to the key's own type`() throws {
    let settings = SettingsStore(inMemory: "k = \"text\"\n")
    #expect(throws: SettingsError.self) {
      try settings.migrate(SettingsKey<Frog?>("k"), from: .archive(of: Frog.self))
    }
    #expect(settings.snapshot.root["k"] == "text")
  }
}

struct Tadpole: Codable, Equatable, SettingsSerializable { var name: String }

/// A class that needs what its archive does not have, and reads everything else first.
final class Twig: NSObject, NSSecureCoding, SettingsSerializable, Sendable {
  static let tries = Counter()

  init?(coder: NSCoder) {
    Self.tries.increment()
    _ = coder.decodeObject(of: Twig.self, forKey: "left")
    _ = coder.decodeObject(of: Twig.self, forKey: "right")
    return nil
  }
  func encode(with coder: NSCoder) {}
  static var supportsSecureCoding: Bool { true }
}

final class Frog: NSObject, NSSecureCoding, SettingsSerializable, Sendable {
  let name: String
  let age: Int
  let friend: Frog?

  init(name: String, age: Int, friend: Frog? = nil) { (self.name, self.age, self.friend) = (name, age, friend) }
  init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = String(describing: name)
    age = coder.decodeInteger(forKey: "age")
    friend = coder.decodeObject(of: Frog.self, forKey: "friend")
  }
  func encode(with coder: NSCoder) {
    coder.encode(NSString(string: name), forKey: "name")
    coder.encode(age, forKey: "age")
    coder.encode(friend, forKey: "friend")
  }
  static var supportsSecureCoding: Bool { true }
}

/// Asks for what not every archive has, and says so if it is missing, as Foundation's guide to secure coding advises.
final class Newt: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let texts: [String]

  init?(coder: NSCoder) {
    let bytes = coder.withDecodedUnsafeBufferPointer(forKey: "bytes") { $0.map(Array.init) }
    guard let bytes, coder.error == nil, coder.version(forClassName: "Newt") == 0 else {
      coder.failWithError(CocoaError(.coderValueNotFound))
      return nil
    }
    texts = ["\(coder.decodePropertyList(forKey: "name") ?? "")", "\(bytes)"]
    super.init()
    // An object whose class has reported an error is not used, even if there is one.
    if coder.decodeBool(forKey: "isOld") { coder.failWithError(CocoaError(.coderReadCorrupt)) }
  }

  func encode(with coder: NSCoder) {}
}
