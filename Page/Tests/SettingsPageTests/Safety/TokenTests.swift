import Testing

@testable import SettingsPage

@Test func `a token is in no other header than its own`() {
  let token = Token()
  #expect(token.text.utf8.count == 22)
  #expect(token.text != Token().text)
  #expect(token.isIn("Bearer \(token.text)"))
  for near in ["", "Bearer", "Bearer ", token.text, "Bearer \(token.text.dropLast())", "Bearer \(token.text)A"] {
    #expect(!token.isIn(near))
  }
  #expect(!token.isIn("bearer \(token.text)"))
  #expect(!token.isIn(nil))
}
