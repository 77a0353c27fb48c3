import AppSettings
import Foundation
import Testing
import TestSupport

/// Paths are bytes, whatever they are.
struct PathTextTests {
  @Test func `any bytes become one text and come back`() {
    var random = SeededRandom(1)
    let pieces: [[UInt8]] = [
      Array("é".utf8), Array("\u{10FFE9}".utf8), [0xF4, 0x8F], [0xC3], [0xE9], [0x80], Array("/".utf8), Array("a".utf8),
      Array("\u{301}".utf8), [0xFF], Array("😀".utf8), [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80],
    ]
    var texts: [String: [UInt8]] = [:]
    for _ in 0..<5_000 {
      let bytes = (0..<Int(random.next() % 6)).flatMap { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
      let text = PathText.text(bytes)
      #expect(PathText.bytes(text) == bytes)
      // Two texts may be equal to Swift, and differ in bytes; the other way round they are one.
      if let other = texts[text], other == bytes { #expect(PathText.text(other).utf8.elementsEqual(text.utf8)) }
      texts[text] = bytes
      if let valid = String(validating: bytes, as: UTF8.self), !bytes.contains(0xF4) { #expect(text == valid) }
    }
  }

  @Test func `a path is taken apart at its slashes, whatever stands after them`() {
    let path = "/\u{301}a/e\u{301}//\u{600}/.toml"
    #expect(path.isAbsolutePath)
    #expect(
      path.pathParts.map { Array($0.utf8) } == ["\u{301}a", "e\u{301}", "\u{600}", ".toml"].map { Array($0.utf8) })
    #expect(path.lastPathPart == ".toml")
    #expect("\u{600}.toml".endsBytewise(with: ".toml"))
    #expect("/\u{301}//".withoutTrailingSlashes.utf8.elementsEqual("/\u{301}".utf8))
    #expect("//".withoutTrailingSlashes == "/" && "".withoutTrailingSlashes == "")
    #expect(!"\u{e9}".isBytewise("e\u{301}") && "\u{e9}" == "e\u{301}")
  }

  @Test(
    arguments: [
      ("/home/ada/été-1.toml", "/home/ada/été-1.toml"), ("./my file.toml", "\"./my file.toml\""),
      ("./a&b.toml", "\"./a&b.toml\""), ("./a;id.toml", "\"./a;id.toml\""),
      ("./#1 (copy).toml", "\"./#1 (copy).toml\""),
      ("./a*.toml", "\"./a*.toml\""), ("./$HOME.toml", nil), ("./a`id`.toml", nil), ("./a'b.toml", nil),
      ("./a\nb.toml", nil), ("./a!b.toml", nil), (PathText.text([0x2E, 0x2F, 0xE9] as [UInt8]), nil),
    ] as [(String, String?)])
  func `a path in a command that a message shows is one word to a shell`(path: String, word: String?) {
    #expect(PathText.word(path) == word)
  }

  @Test func `messages show bytes that are not UTF-8 escaped`() {
    let path = PathText.text(Array("t".utf8) + [0xE9] + Array(".toml".utf8))
    #expect(SettingsError(.io, "Cannot read '\(path)'.", file: path).message == "Cannot read 't\\xE9.toml'.")
    #expect(SettingsProblem(.io, "Cannot read '\(path)'.").message == "Cannot read 't\\xE9.toml'.")
    #expect(SettingsError(.io, "x", file: path).file == path)
  }

  // MARK: Real files

  /// A name with a byte that is not UTF-8.
  private static let name = PathText.text(Array("t".utf8) + [0xE9] + Array(".toml".utf8))
  private static let other = "te\u{301}.toml"

  @Test func `a link to a name that is not UTF-8 leads to exactly that file`() throws {
    let home = ScratchHome()
    let file = home.path + "/" + Self.name
    let link = home.path + "/link.toml"
    #expect(file.withPath { close(creat($0, 0o600)) } == 0)
    #expect(Self.name.withPath { target in link.withPath { symlink(target, $0) } } == 0)
    let location = try SettingsLocation(file: link, environment: home.environment)
    let store = SettingsStore(at: location, logger: .silent)
    try store.set(2, for: .counter)
    #expect(try SettingsFile(path: file).read().bytes == Array("counter = 2\n".utf8))
    #expect(try Syscalls().names(in: home.path)?.sorted() == ["link.toml", "state", Self.name])
    // Its backups are its own, under any spelling.
    try store.core.commit(backingUp: "before-test") { _ in Array("counter = 3\n".utf8) }
    let direct = SettingsStore(
      at: try SettingsLocation(file: file, environment: home.environment), logger: .silent)
    let backup = try #require(try direct.backups().first)
    #expect(backup.path.withPath { access($0, R_OK) } == 0)
    try direct.restore(backup)
    #expect(try SettingsFile(path: link).read().bytes == Array("counter = 2\n".utf8))
  }

  @Test func `directories of variables are exactly those, and their drop-ins count`() throws {
    let home = ScratchHome()
    let odd = PathText.text(Array("\(home.path)/c".utf8) + [0xE9])
    var variables = home.environment
    variables["XDG_CONFIG_HOME"] = odd
    variables["XDG_CONFIG_DIRS"] = odd + "-etc"
    let location = try SettingsLocation(app: "org.example.test", environment: variables)
    let dropIns = odd + "-etc/org.example.test/settings.d"
    try SettingsFile(path: dropIns + "/" + Self.name).update { _ in Array("counter = 4\n".utf8) }
    let store = SettingsStore(at: location, logger: .silent)
    #expect(store[.counter] == 4)
    try store.set(5, for: .counter)
    #expect((odd + "/org.example.test/settings.toml").withPath { access($0, R_OK) } == 0)
    #expect(store.snapshot.layers.first?.layer.file?.isBytewise(dropIns + "/" + Self.name) == true)
  }

  @Test func `two files whose names are equal to Swift are two`() throws {
    let home = ScratchHome()
    let stores = try ["t\u{e9}.toml", Self.other].map {
      SettingsStore(
        at: try SettingsLocation(file: "\(home.path)/\($0)", environment: home.environment), logger: .silent)
    }
    try stores[0].set(1, for: .counter)
    try stores[1].set(2, for: .counter)
    #expect(stores.map { $0[.counter] } == [1, 2])
    #expect(stores[0].location != stores[1].location)
  }

  @Test(arguments: [
    "\u{301}x.toml", String(repeating: "n", count: 236) + ".toml", String(repeating: "n", count: 250) + ".toml",
    String(repeating: "é", count: 125) + ".toml", "n\n.toml",
  ])
  func `a name that begins with a mark or is as long as a name can be is written, backed up and recovered`(
    name: String
  ) throws {
    let home = ScratchHome()
    let location = try SettingsLocation(file: "\(home.path)/\(name)", environment: home.environment)
    let store = SettingsStore(at: location, logger: .silent)
    try store.set(1, for: .counter)
    try store.set(2, for: .counter)
    try store.core.commit(backingUp: "before-test") { _ in Array("counter = 3\n".utf8) }
    let backup = try #require(try store.backups().first)
    try store.restore(backup)
    #expect(store[.counter] == 2)
    try home.write("counter = \n", to: location.file)
    #expect(try store.recover() != nil)
    try store.set(4, for: .counter)
    #expect(try Syscalls().names(in: home.path)?.filter { $0 != "state" } == [name])
    #expect(try store.backups().count == 3)
  }
}
