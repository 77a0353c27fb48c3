import Testing
import TestSupport

@testable import AppSettings

/// Texts become documents, and errors name the place.
@Suite struct TextReaderTests {
  private static let migrations = SettingsMigrations {
    Migration(2, "nothing") { _ in }
    Migration(4, "nothing more") { _ in }
  }

  private func reader(acceptsAnyVersion: Bool = false, showsText: Bool = false) -> TextReader {
    TextReader(migrations: Self.migrations, acceptsAnyVersion: acceptsAnyVersion, showsText: showsText)
  }

  private func document(_ text: String) throws -> TOMLDocument { try reader().parse(Array(text.utf8), file: "/f") }

  @Test(arguments: [false, true])
  func `a text that does not parse is an error with the place, and with the text only where it may be shown`(
    showsText: Bool
  ) {
    let error = settingsError {
      _ = try reader(showsText: showsText).parse(Array("a = 1\ntoken = hunter2\n".utf8), file: "/f")
    }
    #expect(error?.code == .unparsable && error?.file == "/f")
    #expect(error?.position?.line == 2)
    #expect(
      error?.message
        == "Cannot parse '/f'. It was not changed. Correct the line, or move the file away to begin afresh.")
    #expect(error?.cause?.contains("/f:2:") == true)
    #expect(error?.cause?.contains("hunter2") == showsText, "\(error?.cause ?? "")")
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

  // MARK: Locks

  @Test func `the entries of the lock are paths`() throws {
    let locks = reader().locks(in: try document("settings-locked = [\"proxy\", \"a.b\", '\"a.b\"']\n"), file: "/f")
    #expect(locks.paths == [["proxy"], ["a", "b"], ["a.b"]])
    #expect(locks.errors == [])
    #expect(reader().locks(in: try document("a = 1\n"), file: "/f").paths == [])
  }

  @Test func `a lock that is no array locks nothing, and is an error`() throws {
    let locks = reader().locks(in: try document("a = 1\nsettings-locked = \"proxy\"\n"), file: "/f")
    #expect(locks.paths == [])
    #expect(locks.errors.map(\.code) == [.invalidValue])
    #expect(locks.errors.first?.position?.line == 2)
    #expect(
      locks.errors.first?.message
        == "Cannot use 'settings-locked' of '/f': it is a string, but must be an array of keys, such as [\"proxy\"]. "
        + "This file locks nothing.")
  }

  @Test func `an entry that names no key is an error with its number, and the others hold`() throws {
    let locks = reader().locks(in: try document("settings-locked = [\"a\", 1, \"b..c\", \"d\"]\n"), file: "/f")
    #expect(locks.paths == [["a"], ["d"]])
    #expect(locks.errors.count == 2)
    for (error, entry) in zip(locks.errors, [2, 3]) {
      #expect(error.message.hasPrefix("Cannot use entry \(entry) of 'settings-locked' of '/f': "), "\(error)")
      #expect(error.message.hasSuffix("It locks nothing; the other entries hold."), "\(error)")
    }
  }
}
