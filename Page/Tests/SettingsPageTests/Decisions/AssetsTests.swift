import PageAssets
import Testing

@testable import SettingsPage

@Test func `comments are not sent, and lines keep their numbers`() {
  let text = "/** One.\n * Two.\n */\nlet a = \"/*\"; // stays\n  // goes\n\n/* goes */\nb(); /* stays */"
  let sent = String(decoding: Assets.withoutComments(Array(text.utf8)), as: UTF8.self)
  #expect(sent == "\n\n\nlet a = \"/*\"; // stays\n\n\n\nb(); /* stays */")
}

/// Comments are found line by line, without parsing the language. Each file keeps to the forms that this relies on.
@Test func `no line of code is mistaken for a comment`() {
  for asset in Assets.embedded {
    let name = String(cString: asset.path)
    guard name.hasSuffix(".js") || name.hasSuffix(".css") else { continue }
    let text = String(decoding: UnsafeBufferPointer(start: asset.bytes, count: asset.count), as: UTF8.self)
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let place = "\(name):\(number + 1)"
      // A text over several lines could have one that begins as a comment does.
      #expect(line.count { $0 == "`" }.isMultiple(of: 2), "\(place)")
      let begins = line.drop { $0 == " " }.prefix(2)
      if begins == "/*" || begins.first == "*" { #expect(!line.contains("*/") || line.hasSuffix("*/"), "\(place)") }
      if name.hasSuffix(".css") { #expect(begins != "//", "\(place)") }
    }
  }
}
