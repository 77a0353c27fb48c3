import Testing

@testable import AppSettings

/// The names of files beside the settings file.
struct BesideNameTests {
  @Test func `each purpose has one fixed name, hidden, which no drop-in directory reads`() {
    #expect(BesideName.temporary(for: "settings.toml") == ".settings.toml.settings-new")
    #expect(BesideName.aside(for: "settings.toml") == ".settings.toml.settings-aside")
  }

  @Test(arguments: ["x", "é", "𝄞"]) func `a name that leaves no room is a hash, always the same`(
    character: String
  ) {
    let size = character.utf8.count
    // '.' before it and '.settings-new' behind it.
    for count in [(255 - 14) / size, (255 - 14) / size + 1, 255 / size] {
      let name = String(repeating: character, count: count)
      let temporary = BesideName.temporary(for: name)
      #expect(temporary.utf8.count <= 255)
      #expect(temporary == BesideName.temporary(for: name))
      #expect(temporary.contains(name) == (count * size + 14 <= 255), "\(count)")
      #expect(temporary.hasPrefix(".") && temporary.hasSuffix(".settings-new"))
    }
  }

  @Test func `two names that leave no room have two hashes`() {
    let name = String(repeating: "x", count: 250)
    #expect(BesideName.temporary(for: name + "1") != BesideName.temporary(for: name + "2"))
  }

  @Test(arguments: [20, 238, 239, 255]) func `a name that stands in for one that is taken has random digits`(
    count: Int
  ) {
    let taken = String(repeating: "x", count: count)
    let prefix = BesideName.substitutePrefix(for: taken)
    let names = (0..<20).map { _ in BesideName.substitute(for: taken) }
    #expect(Set(names).count == names.count)
    #expect(
      names.allSatisfy { $0.hasPrefix(prefix) && $0.utf8.count == prefix.utf8.count + 16 && $0.utf8.count <= 255 })
    #expect(prefix.hasPrefix(taken) == (count + 17 <= 255))
  }

  @Test func `a label is the name itself as long as there is room`() {
    #expect(BesideName.label("settings", upTo: 8) == "settings")
    #expect(BesideName.label("settings", upTo: 7).count == 16)
  }
}
