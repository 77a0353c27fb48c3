import AppSettings
import Testing
import TestSupport

/// Parts of a value of which nothing is left: a superclass or a field whose own fields are all `nil`.
struct EmptyPartTests {
  let home = ScratchHome()

  @Test func `a superclass whose fields are nil is not taken from the default`() throws {
    let key = SettingsKey("dog", default: NamedDog(name: "Rex", trick: "sit"))
    for text in ["", "[dog.super]\nname = \"Max\"\n", "[dog]\ntrick = \"run\"\nsuper = { name = \"Max\" }\n"] {
      try home.write(text)
      let settings = try home.store()
      try settings.set(NamedDog(name: nil, trick: "roll"), for: key)
      #expect(settings[key] == NamedDog(name: nil, trick: "roll"), "\(home.text() ?? "")")
      settings[key] = NamedDog(name: "Tom", trick: "roll")
      settings[key] = NamedDog(name: nil, trick: "roll")
      try settings.flush()
      #expect(settings[key] == NamedDog(name: nil, trick: "roll"), "\(home.text() ?? "")")
      #expect(try home.store(name: "settings")[key] == NamedDog(name: nil, trick: "roll"), "\(home.text() ?? "")")
    }
  }

  @Test func `a field whose own fields are nil is not taken from the default`() throws {
    let key = SettingsKey("outer", default: Outer(inner: Inner(a: 5, b: 6), c: 7))
    for text in ["", "[outer.inner]\na = 1\n", "[outer]\ninner = { a = 1, b = 2 }\n", "outer.inner.b = 2\n"] {
      try home.write(text)
      let settings = try home.store()
      try settings.set(Outer(inner: Inner(a: nil, b: nil), c: 8), for: key)
      #expect(settings[key] == Outer(inner: Inner(a: nil, b: nil), c: 8), "\(home.text() ?? "")")
      settings[key].inner.a = 3
      settings[key].inner.a = nil
      try settings.flush()
      #expect(settings[key] == Outer(inner: Inner(a: nil, b: nil), c: 8), "\(home.text() ?? "")")
      #expect(try TOMLDocument(parsing: home.text() ?? "").root["outer"] == ["inner": [:], "c": 8])
    }
  }

  @Test func `a value without fields is a value`() throws {
    let key = SettingsKey<Inner?>("inner")
    for text in ["", "[inner]\na = 1\n", "inner.a = 1\n", "inner = { a = 1 }\n"] {
      try home.write(text)
      let settings = try home.store()
      try settings.set(Inner(a: nil, b: nil), for: key)
      #expect(settings[key] == Inner(a: nil, b: nil), "\(home.text() ?? "")")
      settings[key]?.b = 1
      settings[key]?.b = nil
      try settings.flush()
      #expect(settings[key] == Inner(a: nil, b: nil), "\(home.text() ?? "")")
      settings[key] = nil
      #expect(settings[key] == nil)
    }
  }

  @Test func `a value without fields is not the default`() throws {
    let key = SettingsKey("inner", default: Inner(a: 5, b: 6))
    for text in ["# c\n[inner] # d\na = 1 # e\n", "inner.a = 1\n", "inner = { a = 1 }\n", "[inner]\na = 1\nx = 2\n"] {
      try home.write(text)
      let settings = try home.store()
      try settings.set(Inner(a: nil, b: nil), for: key)
      #expect(settings[key] == Inner(a: nil, b: nil), "\(home.text() ?? "")")
      #expect(home.text()?.contains("x = 2") == text.contains("x = 2"))
    }
  }

  @Test func `a record without fields is a record`() throws {
    let key = SettingsRecordKey<Memo>("notes")
    for text in ["", "[notes.a]\ntext = \"x\"\n", "notes.a.text = \"x\"\n", "[notes]\na = { text = \"x\" }\n"] {
      try home.write(text)
      let settings = try home.store()
      try settings[key].put(Memo(id: "a", text: "y"))
      try settings[key].put(Memo(id: "a"))
      #expect(settings[key].ids == ["a"] && settings[key]["a"]?.text == nil, "\(home.text() ?? "")")
      #expect(try home.store()[key].ids == ["a"], "\(home.text() ?? "")")
    }
  }

  @Test func `elements keep their empty parts`() throws {
    let list = SettingsKey<[NamedDog]>("dogs", default: [])
    let table = SettingsKey<[String: Outer]>("outers", default: [:])
    let settings = try home.store()
    let dogs = [NamedDog(name: nil, trick: "sit"), NamedDog(name: "Rex", trick: "run")]
    let outers = ["x": Outer(inner: Inner(a: nil, b: nil), c: 1)]
    settings[list] = dogs
    settings[table] = outers
    try settings.flush()
    #expect(settings[list] == dogs && settings[table] == outers, "\(home.text() ?? "")")
    settings[list][1] = NamedDog(name: nil, trick: "run")
    settings[table]["x"]?.inner.a = 2
    settings[table]["x"]?.inner.a = nil
    try settings.flush()
    #expect(settings[list].map(\.name) == [nil, nil] && settings[table] == outers, "\(home.text() ?? "")")
  }
}

private struct Inner: Codable, Equatable, SettingsSerializable { var a, b: Int? }

private struct Memo: Codable, Identifiable, Equatable {
  var id: String
  var text: String?
}

private struct Outer: Codable, Equatable, SettingsSerializable {
  var inner: Inner
  var c: Int
}

private class Being: Codable, @unchecked Sendable {  // used by one thread
  var name: String?
  init(name: String?) { self.name = name }
}

private final class NamedDog: Being, Equatable, SettingsSerializable, @unchecked Sendable {  // used by one thread
  var trick: String
  private enum CodingKeys: CodingKey { case trick }

  init(name: String?, trick: String) {
    self.trick = trick
    super.init(name: name)
  }

  required init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    trick = try container.decode(String.self, forKey: .trick)
    try super.init(from: container.superDecoder())
  }

  override func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(trick, forKey: .trick)
    try super.encode(to: container.superEncoder())
  }

  static func == (a: NamedDog, b: NamedDog) -> Bool { a.name == b.name && a.trick == b.trick }
}
