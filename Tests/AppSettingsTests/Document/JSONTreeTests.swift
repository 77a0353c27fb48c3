import AppSettings
import Testing

@Test(arguments: [
  #"{"a":[1,-0.50,1e400,18446744073709551616],"b":{"c":null,"d":true,"e":false}}"#, #""\u0001\"\\\n""#, "[]", "{}",
  "[\"\u{e9}\",\"e\u{301}\"]", "{\"\u{e9}\":1,\"e\u{301}\":2}",
]) func `JSON is passed on as it was written`(_ text: String) throws {
  let value = try JSONTree(parsing: text.utf8)
  #expect(value.json == text)
}

@Test(arguments: [
  "", "{", "[1,]", "{\"a\":1,}", "01", "1.", "+1", "nul", "\"\n\"", "\"\\x\"", #""\ud800""#, #""\udc00\ud800""#, "1 2",
  #"{"a":1,"a":2}"#, "'a'", "NaN", "\u{FEFF}1", String(repeating: "[", count: 200_000),
]) func `what is not JSON is refused`(_ text: String) {
  #expect(throws: JSONText.Failure.self) { try JSONTree(parsing: text.utf8) }
}

@Test func `bytes that are not UTF-8 are refused`() {
  #expect(throws: JSONText.Failure.self) { try JSONTree(parsing: [0x22, 0xFF, 0x22]) }
}

@Test func `a member is found without reading those behind it`() {
  #expect(JSONTree.member("b", of: Array(#"{"a": [1], "b": "x", nonsense"#.utf8)) == .string("x"))
  #expect(JSONTree.member("c", of: Array(#"{"a": 1}"#.utf8)) == nil)
  #expect(JSONTree.member("c", of: Array("[]".utf8)) == nil)
}

@Test func `a pair of surrogates is one character`() throws {
  #expect(try JSONTree(parsing: #""\ud83d\ude00""#.utf8) == .string("😀"))
}

@Test func `a number that is too large is named with its line`() {
  let failure = #expect(throws: JSONText.Failure.self) { _ = try JSONText.value(of: "{\n\"a\": [null, 1e400]\n}") }
  #expect(failure?.reason.hasSuffix("too large in line 2)") == true, "\(failure as Any)")
}
