import Foundation
import Testing

/// `Scripts/startup-order.txt` has the functions that a `get` runs, in their order, for the linker. The linker passes over
/// names that are gone, so that a list that was not made anew is only slower: this says when it is too old.
struct StartupOrderTests {
  @Test func `at least 90 % of the functions in the startup order still have the names of the sources`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardizedFileURL
    let list = try String(contentsOf: root.appending(path: "Scripts/startup-order.txt"), encoding: .utf8)
    // The words of each module's sources.
    var known: [Substring: Set<Substring>] = [:]
    for target in try FileManager.default.contentsOfDirectory(atPath: root.path + "/Sources") {
      let folder = root.path + "/Sources/" + target
      for case let name as String in FileManager.default.enumerator(atPath: folder)! where name.hasSuffix(".swift") {
        let text = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
        known[Substring(target.replacing("-", with: "_")), default: []].formUnion(text.matches(of: /\w+/).map(\.0))
      }
    }
    let all = known.values.reduce(into: Set(known.keys)) { $0.formUnion($1) }
    let own = list.split(separator: "\n").map(Self.identifiers).filter { $0.first.map { known[$0] != nil } == true }
    try #require(own.count > 100)
    // The first is of the module, the others may be of any.
    let gone = own.filter { names in
      names.dropFirst().prefix(1).contains { !known[names[0]]!.contains($0) } || !names.allSatisfy(all.contains)
    }
    #expect(gone.count * 10 <= own.count, "Run 'Scripts/install --order'. Gone, among others: \(gone.prefix(10))")
  }

  /// The identifiers of a mangled name that it spells out: `$s3Lib4TypeV` → `Lib`, `Type`. Those with substitutions of
  /// words, `0B4File`, and what the compiler adds to a private name are left out.
  private static func identifiers(of mangled: Substring) -> [Substring] {
    guard mangled.hasPrefix("$s") else { return [] }
    // What follows is how it was specialised.
    var rest = mangled.firstRange(of: "Tf4").map { mangled[..<$0.lowerBound] } ?? mangled
    rest = rest.dropFirst(2)
    var found: [Substring] = []
    while let place = rest.firstIndex(where: { $0.isASCII && $0.isNumber }) {
      rest = rest[place...]
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      if digits.hasPrefix("0") {
        // Words of earlier identifiers, the last of them in upper case, and then the rest of this one.
        let words = rest.prefix { $0.isASCII && $0.isLowercase }
        let more = rest.dropFirst(words.count + 1)
        let length = more.prefix { $0.isASCII && $0.isNumber }
        rest = more.dropFirst(length.count).dropFirst(Int(length) ?? 0)
        continue
      }
      guard let count = Int(digits), count <= rest.count else { continue }
      let name = rest.prefix(count)
      guard name.allSatisfy({ $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }) else { continue }
      rest = rest.dropFirst(count)
      if !name.hasPrefix("_"), name.contains(where: \.isLowercase) { found.append(name) }
    }
    return found
  }
}
