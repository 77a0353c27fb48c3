import Foundation
import Testing
import TestSupport

/// The text of a number is more than its value: `1.10` is a version.
struct NumberTextTests {
  let home = ScratchHome()

  private func run(_ arguments: String...) throws -> ChildProcess.Result {
    try ChildProcess.run(
      ChildProcess.product("settings-cli"), arguments, environment: home.environment, directory: home.path)
  }

  private func answer(_ output: String) -> ChildProcess.Result { SchemaHome.answer(output) }
  private var file: String { home.path + "/v.toml" }

  @Test(arguments: [
    "1.10", "0x1F", "0o17", "0b101", "1_000", "1e3", "+5", "6.02E+23", "-0.0", "+inf", "1979-05-27 07:32:00Z",
    "1979-05-27T07:32:00.500", "07:32:00", "1979-05-27", "[1.10, 2.0]", "[ 1.10,2.0 ]", "[1, [2_0]]",
    "[{ v = 1.10 }, 'x']", "'C:\\dir'", "[\n  1.10, # one\n]",
  ])
  func `a new value is stored as typed`(_ text: String) throws {
    #expect(try run("set", "./v.toml", "v", text) == answer(""))
    #expect(home.text(of: file) == "v = \(text)\n")
  }

  @Test(arguments: [
    // What readers of TOML 1.0 do not know is written in its form, and so is another type's text.
    ("07:32", "07:32:00"), ("[{ a = 1, }, 1.10]", "[{ a = 1 }, 1.10]"), ("[07:32, 1.10]", "[07:32:00, 1.10]"),
    ("\"\\e\"", "\"\\u001B\""),
    ("[\"a:b\", 1.10]", "[\"a:b\", 1.10]"), ("[07:32:00+02:00]", "\"[07:32:00+02:00]\""), ("abc", "\"abc\""),
  ])
  func `a new value is written as TOML 1.0`(_ text: String, _ stored: String) throws {
    #expect(try run("set", "./v.toml", "v", text) == answer(""))
    #expect(home.text(of: file) == "v = \(stored)\n")
  }

  @Test func `a whole number that no integer holds replaces a float as a float`() throws {
    try home.write("ratio = 0.5\nlist = [1.5]\n", to: file)
    #expect(try run("set", "./v.toml", "ratio", "9223372036854775808") == answer(""))
    #expect(try run("set", "./v.toml", "list", "--append", "18446744073709551616") == answer(""))
    #expect(home.text(of: file) == "ratio = 9.223372036854776e+18\nlist = [1.5, 1.8446744073709552e+19]\n")
    #expect(try run("set", "./v.toml", "ratio", "007").status == 4)
  }

  @Test func `a number that replaces another is stored as typed, with the line's comment`() throws {
    try home.write("ver = 1.1  # c\nmask = 0x0F\nratio = 0.5\ncount = 12\n", to: file)
    #expect(try run("set", "./v.toml", "ver=1.20", "mask=16", "ratio=2", "count=1_2") == answer(""))
    #expect(home.text(of: file) == "ver = 1.20  # c\nmask = 16\nratio = 2.0\ncount = 1_2\n")
  }

  @Test func `the elements that a change of an array leaves alone keep their text`() throws {
    let kept = """
      [[s]]
      n = 0x10 # a
      d = 1979-05-27 00:32:00Z
      list = [
        1_0, # b
      ]
      inline = { a.b = 1.50 }

      [[s.in]]
      n = +1

      """
    try home.write(kept + "\n[[s]]\nn = 0x3\n", to: file)
    #expect(try run("set", "./v.toml", "s", "--remove", "{ n = 3 }") == answer(""))
    #expect(home.text(of: file) == kept)
    #expect(try run("set", "./v.toml", "s", "--append", "{ n = 0x3 }") == answer(""))
    #expect(home.text(of: file) == kept + "\n[[s]]\nn = 0x3\n")
  }

  @Test func `an equal value that is typed differently is written, and one typed the same is not`() throws {
    try home.write("ver = 1.1\n", to: file)
    #expect(try run("set", "./v.toml", "ver", "1.10") == answer(""))
    #expect(home.text(of: file) == "ver = 1.10\n")
    let inode = try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int
    #expect(try run("set", "./v.toml", "ver", "1.10") == answer(""))
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.systemFileNumber] as? Int == inode)
  }

  @Test func `arrays and tables keep their form and comments, with the numbers as typed`() throws {
    try home.write("a = [\n  1.5, # one\n  'x',\n]\nb = [1.9]\n[t]\n# d\nx = 1.0\n[t.u]\ny = 2\n", to: file)
    #expect(try run("set", "./v.toml", "a", "[1.50, \"x\"]") == answer(""))
    #expect(try run("set", "./v.toml", "b", "--append", "1.10") == answer(""))
    #expect(try run("set", "./v.toml", "t", "{ x = 1.00, u = { y = 0x2 } }") == answer(""))
    #expect(
      home.text(of: file)
        == "a = [\n  1.50, # one\n  'x',\n]\nb = [1.9, 1.10]\n[t]\n# d\nx = 1.00\n[t.u]\ny = 0x2\n")
    #expect(try run("set", "./v.toml", "b", "--append", "1.20", "--remove", "1.9") == answer(""))
    #expect(home.text(of: file)?.contains("b = [1.10, 1.20]\n") == true)
    #expect(try run("set", "./v.toml", "n", "{ v = 1.10 }") == answer(""))
    #expect(home.text(of: file)?.contains("b = [1.10, 1.20]\nn = { v = 1.10 }\n[t]\n") == true)
    try home.write("s = { a = 1 }\n[[r]]\nv = 1.5\n", to: file)
    #expect(try run("set", "./v.toml", "s", "{ a = 0x01, b = 1.10 }") == answer(""))
    #expect(try run("set", "./v.toml", "r", "[{ v = 1.50 }]") == answer(""))
    #expect(home.text(of: file) == "s = { a = 0x01, b = 1.10 }\n[[r]]\nv = 1.50\n")
  }

  @Test func `get and list print a float as its file has it, and other numbers in their plain form`() throws {
    try home.write(
      "ver = 1.10\nmask = 0x1F\nbig = 1_000.50\nall = [ 1.10, { v = 2.0_0 }, 'x:y' ]\nt.a = 3.0\nt.b = [1e3]\nnot = nan\n",
      to: file)
    #expect(try run("get", "./v.toml", "ver") == answer("1.10\n"))
    #expect(try run("get", "./v.toml", "ver", "--toml") == answer("1.10\n"))
    #expect(try run("get", "./v.toml", "mask") == answer("31\n"))
    #expect(try run("get", "./v.toml", "t") == answer("{ a = 3.0, b = [1e3] }\n"))
    #expect(
      try run("list", "./v.toml")
        == answer(
          "ver = 1.10\nmask = 31\nbig = 1000.50\nall = [1.10, { v = 2.00 }, \"x:y\"]\nt.a = 3.0\nt.b = [1e3]\nnot = nan\n"
        ))
    #expect(try run("watch", "./v.toml", "ver", "--count", "1") == answer("1.10\n"))
  }

  @Test func `a key of a schema is stored as typed where that is its type, and layers keep their texts`() throws {
    let test = try SchemaHome()
    try test.home.write(
      "app = \"\(test.app)\"\n[keys.scale]\ntype = \"float\"\ndefault = 1.5\n[keys.name]\ntype = \"string\"\n",
      to: test.schemaFile)
    try test.home.write("scale = 1.20\n", to: test.systemFile)
    #expect(try test.run("get", test.app, "scale") == answer("1.20\n"))
    #expect(try test.run("set", test.app, "scale", "2.50") == answer(""))
    #expect(try test.run("set", test.app, "name", "1.10") == answer(""))
    #expect(test.home.text() == "scale = 2.50\nname = \"1.10\"\n")
    #expect(try test.run("get", test.app, "scale") == answer("2.50\n"))
    #expect(try test.run("set", test.app, "scale", "2") == answer(""))
    #expect(try test.run("get", test.app, "scale") == answer("2.0\n"))
  }
}
