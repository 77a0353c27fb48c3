import AppSettings
import Testing

struct SettingsValueErrorTests {
  @Test func `what was found is shown, but cut and made printable`() {
    #expect(TOMLValue.string("a\"\\\n\t\u{7}").shown == #"the string "a\"\\\n\t\u0007""#)
    #expect(
      TOMLValue.string(String(repeating: "x", count: 41)).shown
        == "the string \"\(String(repeating: "x", count: 40))…\"")
    #expect(TOMLValue.array(Array(repeating: "long string", count: 5)).shown == "an array of 5 elements")
    #expect(([["a": 1]] as TOMLValue).shown == "the array [{a}]")
    #expect((["a": 1] as TOMLValue).shown == "a table with the key a")
    #expect(
      (["a": 1, "": 2, "c.d": 3, "e": 4, "f": 5] as TOMLValue).shown == "a table with the keys a, \"\", \"c.d\", e, …")
    #expect(TOMLValue.float(1e300).shown == "the float 1e+300")
  }

  @Test func `a path is written as keys and indices`() {
    var error = SettingsValueError(expected: "x", found: 1)
    error.path = ["[0]", "a", "b.c", "[12]", "[x]", ""]
    #expect(error.pathDescription == "[0].a.\"b.c\"[12].\"[x]\".\"\"")
    #expect(error.message == "Found the integer 1 at '[0].a.\"b.c\"[12].\"[x]\".\"\"', but x is needed.")
    #expect("\(error)" == error.message)
  }

  @Test func `a redacted error has nothing of the value`() {
    let error = SettingsValueError(expected: "a number", found: .string("secret"), reason: "secret is no number")
    #expect(error.redacted.message == "Found a string, but a number is needed.")
    #expect(
      SettingsValueError(expected: "a", foundText: "the token secret").redacted.message
        == "Found something else, but a is needed.")
  }
}
