import SettingsTOML
import Testing

struct PathTests {
  @Test(arguments: [
    ("a", ["a"]), ("a.b-c.d_1", ["a", "b-c", "d_1"]), ("servers.\"eu.west\".url", ["servers", "eu.west", "url"]),
    ("'a \"b'.c", ["a \"b", "c"]), ("\"\"", [""]), ("\"\\u00e9\\\"\"", ["é\""]), ("1.2", ["1", "2"]), ("''", [""]),
  ]) func `a path is read and written`(_ text: String, _ components: [String]) throws {
    let path = try TOMLPath(parsing: text)
    #expect(path == TOMLPath(components))
    #expect(try TOMLPath(parsing: path.description) == path)
  }

  @Test(arguments: [
    ("", "A key path cannot be empty. Name a key, as in 'a.b'."),
    ("a..b", "'a..b' is not a key path: there is no key between two dots."),
    (".a", "'.a' is not a key path: it begins with a dot."),
    ("a.", "'a.' is not a key path: it ends with a dot; a key must follow."),
    ("a b", "'a b' is not a key path: a space needs quotes, as in 'a.\"b c\".d'."),
    (" a", "' a' is not a key path: a space needs quotes, as in 'a.\"b c\".d'."),
    ("größe", "'größe' is not a key path: the character 'ö' needs quotes, as in 'a.\"b c\".d'."),
    ("\"a", "'\"a' is not a key path: a closing \" is missing."),
    ("\"\\q\"", "'\"\\q\"' is not a key path: a quoted part is not a TOML string."),
    ("\"a\"b", "'\"a\"b' is not a key path: the character 'b' needs quotes, as in 'a.\"b c\".d'."),
  ]) func `what is not a path is refused with the reason`(_ text: String, _ message: String) {
    let error = #expect(throws: TOMLPathError.self) { try TOMLPath(parsing: text) }
    #expect(error?.message == message)
  }

  @Test func `paths and tables tell code points apart`() {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    #expect(TOMLPath([composed]) != TOMLPath([decomposed]))
    #expect(Set([TOMLPath([composed]), TOMLPath([decomposed])]).count == 2)
    #expect(!TOMLPath([composed, "a"]).hasPrefix([decomposed]))
    var table: TOMLTable = [composed: 1, decomposed: 2]
    #expect(table.count == 2)
    #expect(table[composed] == 1)
    for number in 0..<20 { table["k\(number)"] = .integer(Int64(number)) }
    #expect(table[decomposed] == 2)
    table[composed] = nil
    #expect(table.count == 21)
    #expect(table[composed] == nil)
    #expect(table["k19"] == 19)
  }
}
