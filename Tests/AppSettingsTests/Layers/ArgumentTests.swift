import AppSettings
import Testing

/// Which words of a command line are keys, and which are values.
struct ArgumentTests {
  @Test func `a flag does not take the next key for its value`() throws {
    let keys: [SettingsKeys] = [.wrap, .counter, .name, .fontSize, .ratio]
    func text(_ words: String..., of key: SettingsKeys) -> String? {
      SettingsOverrides.arguments(words, keys: keys).text(for: key.path, in: .process)
    }
    #expect(text("-editor.wrap", "-counter", "5", of: .counter) == "5")
    #expect(text("-editor.wrap", "-counter", "5", of: .wrap) == "true")
    #expect(text("-editor.wrap", "--counter=5", of: .counter) == "5")
    #expect(text("-editor.wrap", of: .wrap) == "true")
    #expect(text("-editor.wrap", "no", of: .wrap) == "no")
    #expect(text("-editor.wrap", "notes.txt", of: .wrap) == "true")
    #expect(text("-editor.wrap", "--", "-counter", "5", of: .counter) == nil)
    #expect(text("-editor.wrap", "-v", "-counter", "5", of: .counter) == "5")
    // A key without a value that is no flag is not overridden, and takes nothing along.
    #expect(text("-name", "-counter", "5", of: .name) == nil)
    #expect(text("-name", "-counter", "5", of: .counter) == "5")
    #expect(text("-name", of: .name) == nil)
    #expect(text("-name", "-", of: .name) == "-")
    #expect(text("--name=-counter", of: .name) == "-counter")
    // Two hyphens are as good as one.
    #expect(text("--counter", "5", of: .counter) == "5")
    #expect(text("--editor.wrap", "--counter", "5", of: .wrap) == "true")
    #expect(text("--editor.wrap", "notes.txt", "--counter", "5", of: .counter) == "5")
    #expect(text("--name", "--counter", "5", of: .name) == nil)
    // Negative numbers are values.
    #expect(text("-counter", "-5", of: .counter) == "-5")
    #expect(text("-editor.ratio", "-inf", of: .ratio) == "-inf")
    #expect(text("-counter", "-5", "-editor.ratio", "-1.5", of: .ratio) == "-1.5")
  }

  @Test func `arguments that name no key can be asked for`() {
    let keys: [AnySettingsKey] = [SettingsKey("size", default: 1), SettingsKey("flag", default: false)]
    let overrides = SettingsOverrides.arguments(
      ["--size=2", "--typo=3", "-flag", "-flga", "yes", "-5", "word", "--verbose", "-", "--", "--late=1"], keys: keys)
    #expect(overrides.unknownArguments == ["--typo=3", "-flga", "--verbose"])
    let both = overrides.adding(.arguments(["--other=1"], keys: keys))
    #expect(both.unknownArguments == ["--typo=3", "-flga", "--verbose", "--other=1"])
    #expect(SettingsOverrides.environment(app: "a", variables: [:]).unknownArguments == [])
  }
}
