import Testing

@testable import SettingsPage

@Test func `a token is in no other header than its own`() {
  let token = Token()
  #expect(token.text.utf8.count == 22)
  #expect(token.text != Token().text)
  for scheme in ["Bearer", "bearer", "BEARER"] { #expect(token.isIn("\(scheme) \(token.text)")) }
  for near in [
    "", "Bearer", "Bearer ", token.text, "Bearer \(token.text.dropLast())", "Bearer \(token.text)A",
    "Basic  \(token.text)", "Bearer\(token.text)",
  ] {
    #expect(!token.isIn(near))
  }
  #expect(!token.isIn(nil))
}
