import Testing
import TestSupport

@testable import AppSettings

/// Texts become documents, and errors name the place.
struct TextReaderTests {
  private static let migrations = [
    Migration(2, "nothing") { _ in },
    Migration(4, "nothing more") { _ in },
  ]

  private func reader(acceptsAnyVersion: Bool = false, showsText: Bool = false) -> TextReader {
    TextReader(
      migrations: SettingsMigrations(Self.migrations), acceptsAnyVersion: acceptsAnyVersion, showsText: showsText)
  }

  private func document(_ text: String) throws -> TOMLDocument { try reader().parse(Array(text.utf8), file: "/f") }

  @Test(arguments: [false, true])
  func `a text that does not parse is an error with the place, and with the text only where it may be shown`(
    showsText: Bool
  ) {
    let error = settingsError {
      _ = try reader(showsText: showsText).parse(Array("a = 1\ntheme = hunter2\n".utf8), file: "/f")
    }
    #expect(error?.code == .unparsable && error?.file == "/f")
    #expect(error?.position?.line == 2)
    #expect(
      error?.message
        == "Cannot parse '/f'. It was not changed. Correct the line, or move the file away to start over.")
    #expect(error?.cause?.contains("/f:2:") == true)
    #expect(error?.cause?.contains("hunter2") == showsText, "\(error?.cause ?? "")")
    let secret = settingsError {
      _ = try reader(showsText: showsText).parse(Array("a = 1\ntoken = hunter2\n".utf8), file: "/f")
    }
    #expect(secret?.cause?.contains("hunter2") == false, "\(secret?.cause ?? "")")
  }

  @Test(arguments: [
    ("", true), ("settings-version = 1\n", true), ("settings-version = 3\n", true), ("settings-version = 4\n", false),
    ("settings-version = 9\n", false),
  ])
  func `a document of an older version is outdated, for who knows versions`(text: String, isOutdated: Bool) throws {
    #expect(try reader().isOutdated(try document(text)) == isOutdated)
    #expect(try !reader(acceptsAnyVersion: true).isOutdated(try document(text)))
  }

  @Test func `a version that is no number is an error`() throws {
    let document = try document("settings-version = \"two\"\n")
    #expect(settingsError { _ = try reader().isOutdated(document) }?.code == .migrationFailed)
    #expect(try !reader(acceptsAnyVersion: true).isOutdated(document))
  }

  // MARK: The meaning

  private static let renaming = [
    Migration(2, "b") { document in try document.set(.integer(2), at: ["b"]) },
    Migration(3, "c") { document in try document.set(.integer(3), at: ["c"]) },
  ]
  private func renamer(acceptsAnyVersion: Bool = false) -> TextReader {
    TextReader(migrations: SettingsMigrations(Self.renaming), acceptsAnyVersion: acceptsAnyVersion)
  }

  @Test(
    arguments: [
      ("a = 1\n", nil, "settings-version = 3\na = 1\nb = 2\nc = 3\n", [2, 3]),
      ("a = 1\n", 2, "settings-version = 2\na = 1\nb = 2\n", [2]),
      ("settings-version = 2\n", nil, "settings-version = 3\nc = 3\n", [3]),
      ("settings-version = 3\n", nil, "settings-version = 3\n", []),
    ] as [(String, Int?, String, [Int])])
  func `a document is brought to a version, and what was run is returned`(
    text: String, target: Int?, migrated: String, versions: [Int]
  ) throws {
    var document = try document(text)
    let ran = try renamer().migrate(&document, of: SettingsLayer(.user), upTo: target)
    #expect(document.text == migrated && ran.map(\.version) == versions)
  }

  @Test func `a newer document is refused with its place, and is taken as it is where it is only read`() throws {
    let text = "a = 1\nsettings-version = 9\n"
    var document = try document(text)
    let layer = SettingsLayer(.user, file: "/f")
    let error = settingsError { try renamer().migrate(&document, of: layer) }
    #expect(error?.code == .newerVersion && error?.file == "/f" && error?.position?.line == 2)
    #expect(try renamer().migrate(&document, of: layer, readsNewer: true).isEmpty)
    #expect(try renamer(acceptsAnyVersion: true).migrate(&document, of: layer).isEmpty)
    #expect(document.text == text)
  }

  @Test func `a step that fails leaves the document as it was`() throws {
    struct Failure: Error {}
    let reader = TextReader(
      migrations: SettingsMigrations([
        Migration(2, "b") { document in try document.set(.integer(2), at: ["b"]) },
        Migration(3, "fails") { _ in throw Failure() },
      ]), acceptsAnyVersion: false)
    var document = try document("a = 1\n")
    #expect(settingsError { try reader.migrate(&document, of: SettingsLayer(.user)) }?.code == .migrationFailed)
    #expect(document.text == "a = 1\n")
  }

  // MARK: Locks

  @Test func `the entries of the lock are paths`() throws {
    let locks = reader().locks(in: try document("settings-locked = [\"proxy\", \"a.b\", '\"a.b\"']\n"), file: "/f")
    #expect(locks.entries.map(\.path) == [["proxy"], ["a", "b"], ["a.b"]])
    #expect(locks.errors == [])
    #expect(reader().locks(in: try document("a = 1\n"), file: "/f").entries == [])
  }

  @Test func `a lock that is no array locks nothing, and is an error`() throws {
    let locks = reader().locks(in: try document("a = 1\nsettings-locked = \"proxy\"\n"), file: "/f")
    #expect(locks.entries.map(\.path) == [])
    #expect(locks.errors.map(\.code) == [.invalidValue])
    #expect(locks.errors.first?.position?.line == 2)
    #expect(
      locks.errors.first?.message
        == "Cannot use 'settings-locked' of '/f': it is a string, but must be an array of keys, such as [\"proxy\"]. "
        + "This file locks nothing.")
  }

  @Test func `an entry that names no key is an error with its number, and the others hold`() throws {
    let locks = reader().locks(in: try document("settings-locked = [\"a\", 1, \"b..c\", \"d\"]\n"), file: "/f")
    #expect(locks.entries.map(\.path) == [["a"], ["d"]])
    #expect(locks.errors.count == 2)
    for (error, entry) in zip(locks.errors, [2, 3]) {
      #expect(error.message.hasPrefix("Cannot use entry \(entry) of 'settings-locked' of '/f': "), "\(error)")
      #expect(error.message.hasSuffix("It locks nothing; the other entries are used."), "\(error)")
    }
  }
}
