import AppSettings
import Foundation
import Testing
import TestSupport

/// Comments come back with values wherever nothing in those lines is left out of the history.
struct UndoTextTests {
  let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "light")
  private let size = SettingsKey("editor.font-size", default: 12)
  private let token = SettingsKey("token", default: "", .secret)

  private func edit(_ settings: SettingsStore, _ key: TOMLPath, _ value: TOMLValue?) throws {
    try settings.core.commit { _ in [Edit(path: key, value: value)] }
  }

  /// Changes a text, undoes that, and expects the same bytes.
  private func comesBack(
    _ text: String, _ key: TOMLPath, to value: TOMLValue? = nil, declaring: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try home.write(text)
    let settings = try home.store(acceptsAnyVersion: true)
    if declaring { _ = (settings[theme], settings[size], settings[token]) }
    try edit(settings, key, value)
    #expect(home.text() != text, sourceLocation: sourceLocation)
    try settings.undo()
    #expect(home.text() == text, sourceLocation: sourceLocation)
  }

  @Test func `in a file with a name that sounds secret`() throws {
    try comesBack("api-key = \"5\"\n# why it is 1\nopener = 1 # c\nzz = 2\n", ["opener"])
    try comesBack("a = 0\n# why it is 1\nopener = 1 # c\n# own\npassword = \"5\"\n", ["opener"])
    try comesBack(
      "[dependencies]\ncargo-credential = \"2\" # old\nopener.workspace = true # c\n\n[x]\ny = 1\n",
      ["dependencies", "opener", "workspace"])
  }

  @Test func `in a file with a secret, and a key that nobody has declared`() throws {
    try comesBack(
      "token = \"s3cret\"\n\n# In the dark.\ntheme = 'dark'   # dim\nplugin = 1\n", ["theme"], declaring: true)
    try comesBack(
      "[editor]\n# Bigger than it was.\nfont-size = 15    # 16 points\nfont-wieght = 3\n", ["editor", "font-size"],
      declaring: true)
  }

  @Test func `where other lines have changed since`() throws {
    try home.write("# a\na = 1\n\n# why\nb = 2 # c\n# own\nd = 3\n")
    let settings = try home.store(acceptsAnyVersion: true)
    try edit(settings, ["b"], nil)
    try edit(settings, ["d"], .integer(4))
    try home.write(try #require(home.text()).replacingOccurrences(of: "# a\n", with: "# A\n# B\n") + "e = 5\n")
    try settings.undo(.value([["b"]]))
    #expect(home.text() == "# A\n# B\na = 1\n\n# why\nb = 2 # c\n# own\nd = 4\ne = 5\n")
  }

  @Test func `of several parts, those that fit`() throws {
    let settings = try home.store(acceptsAnyVersion: true)
    try home.write("# x\nx = 1 # 1\nm = 0\nn = 0\n\n# y\ny = 2 # 2\n")
    try settings.core.commit { _ in [["x"], ["y"]].map { Edit(path: $0, value: .integer(9)) } }
    let text = try #require(home.text())
    try home.write(text.replacingOccurrences(of: "y = 9 # 2", with: "y = 9 # two"))
    try settings.undo(.entry(1))
    #expect(home.text() == "# x\nx = 1 # 1\nm = 0\nn = 0\n\n# y\ny = 2 # two\n")
    // One of two keys, with its comment only.
    let both = "# top\n\n# x\nx = 1 # 1\nm = 0\n\n# y\ny = 2 # 2\n"
    try home.write(both)
    try settings.core.commit { _ in [["x"], ["y"]].map { Edit(path: $0, value: nil) } }
    try settings.undo(.value([["y"]]))
    #expect(home.text() == "# top\n\nm = 0\n\n# y\ny = 2 # 2\n")
    try settings.undo()
    #expect(home.text() == both)
  }

  @Test func `of a key whose line a secret has taken, above another secret`() throws {
    let pin = SettingsKey("pin", default: 0, .secret)
    let code = SettingsKey("code", default: 0, .secret)
    let settings = try home.store()
    _ = (settings[size], settings[pin], settings[code], settings[theme])
    try home.write("theme = 'dark'\npin = 5\n")
    settings.reload()
    try settings.set(13, for: size)
    // What stands for the secrets in the history is longer than they are.
    try home.write("code = 7\npin = 5\n")
    settings.reload()
    try settings.undo(theme)
    #expect(settings[theme] == "dark" && settings[code] == 7 && settings[pin] == 5)
  }

  @Test func `below a comment that stays, and is above a secret meanwhile`() throws {
    // The first comment belongs to the file. What is above a secret is not in the history.
    try comesBack("# why it is 1\nopener = 1 # c\npassword = \"5\"\n", ["opener"])
    try comesBack("# why it is 1\nopener = 1 # c\n# own\npassword = \"5\"\n", ["opener"])
    try comesBack("# two\n# lines\nopener = 1\n# own\n# and more\npassword = \"5\" # x\n", ["opener"])
    try comesBack("# two\n# lines\n[opener] # c\nb = 2 # d\n[t] # e\npassword = \"5\" # x\n", ["opener"])
  }

  @Test func `a comment that stays is not put back twice, and none is lost that was changed`() throws {
    let text = "# why it is 1\nopener = 1 # c\npassword = \"5\"\n"
    for (present, result) in [
      ("# another\n", "# another\npassword = \"5\"\nopener = 1\n"),
      ("# why it is 1\n# more\n", "# why it is 1\nopener = 1 # c\n# more\npassword = \"5\"\n"),
      ("# more\n# why it is 1\n", "# more\n# why it is 1\npassword = \"5\"\nopener = 1\n"),
    ] {
      let home = ScratchHome()
      try home.write(text)
      let settings = try home.store(acceptsAnyVersion: true)
      try settings.core.commit { _ in [Edit(path: ["opener"], value: nil)] }
      #expect(home.text() == "# why it is 1\npassword = \"5\"\n")
      try home.write(present + "password = \"5\"\n")
      try settings.undo(.value([["opener"]]))
      #expect(home.text() == result)
    }
  }

  @Test func `a secret's own comment does not come back from the history, and nothing stands for it`() throws {
    try home.write("theme = 'dark'\n# s3cret of old\ntoken = \"s3cret\"\n")
    let settings = try home.store(acceptsAnyVersion: true)
    _ = (settings[theme], settings[token])
    try settings.core.commit { _ in [Edit(path: ["theme"], value: .string("blue"))] }
    try home.write("theme = 'blue'\ntoken = \"s3cret\"\n")
    try settings.undo(.value([["theme"]]))
    #expect(home.text() == "theme = 'dark'\ntoken = \"s3cret\"\n")
    #expect(try !settings.history().contains { $0.description.contains("s3cret") })
  }
}
