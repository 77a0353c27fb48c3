import Glibc
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
    let text = String(cString: asset.text)
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

/// The budget of Page/README.md. What a browser asks for is each file once, in the format of gzip.
@Test func `the page as it is sent is no larger than it may be`() throws {
  let sizes = try Assets.paths.map { try #require(Assets().asset(at: $0)?.compressed).count }
  #expect(sizes.count == Assets.embedded.count)
  #expect(sizes.reduce(0, +) <= 80_000)
}

/// Another program has to read it as it was, and also what is longer than before.
@Test func `what is compressed is read by others as it was`() throws {
  let home = try TestHome()
  func save(_ bytes: [UInt8], _ name: String) throws {
    let file = try #require(fopen("\(home.path)/\(name)", "w"))
    #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count)
    fclose(file)
  }
  let noise = (0..<100_000).map { _ in UInt8.random(in: 0...255) }
  for text in [[], [0], noise] + Assets.embedded.map(\.bytes) {
    try save(#require(text.withUnsafeBytes(Assets.compressed)), "sent")
    try save(text, "text")
    let child = try ChildProcess.start(
      ["/bin/sh", "-c", "gzip -dc <'\(home.path)/sent' | cmp - '\(home.path)/text'"],
      environment: ["PATH": "/usr/bin:/bin"])
    for stream in [child.input, child.output, child.errors] { close(stream) }
    #expect(child.end() == 0, "\(text.count) bytes")
  }
}
