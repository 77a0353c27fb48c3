import Foundation
import Testing
import TestSupport

/// No secret gets into the history of a file, through whatever door it comes, nor into what verbs show of it.
///
/// `SECRETS=10000` in the environment makes it long. Backups of settings files have secrets, as these files do, and are
/// not searched.
struct SecretHistoryTests {
  @Test func `of many secrets that come in through every door, none is found in the history`() throws {
    let count = ProcessInfo.processInfo.environment["SECRETS"].flatMap(Int.init) ?? 150
    let test = try SecretDoors(seed: 21)
    while test.made < count {
      try test.passAllDoors()
      try test.search()
    }
    #expect(test.usedDoors.count == SecretDoors.doorCount, "doors that never opened: \(test.usedDoors.sorted())")
    #expect(test.searchedBytes > 10_000 && test.seenPlaceholders > 10)
  }
}

/// A home with an app that has secrets of every kind, and the ways to change them.
private final class SecretDoors {
  let home = ScratchHome()
  private let app = "org.example.test"
  private var random: Numbers
  private(set) var made = 0
  /// The doors through which a secret has come.
  private(set) var usedDoors: Set<Int> = []
  private(set) var searchedBytes = 0
  private(set) var seenPlaceholders = 0

  /// What every secret has in it, and nothing else.
  private static let mark = Array("Q7z".utf8)

  private static let schema = """
    app = "org.example.test"

    [keys.theme]
    type = "string"

    [keys.token]
    type = "string"
    secret = true

    [keys."sync.user"]
    type = "string"

    [keys."sync.token"]
    type = "string"
    secret = true
    formerly = ["old-token", "before.token"]

    [keys.accounts]
    type = "records"
    fields = { user = { type = "string" }, password = { type = "string" } }
    secret = true

    [keys.vault]
    type = "table"
    elements = { type = "string" }
    secret = true

    [keys.pins]
    type = "array"
    elements = { type = "string" }
    secret = true

    [[migrations]]
    version = 2
    name = "move the pass"
    steps = [{ rename = "pass.word", to = "sync.pass" }, { rename = "keyring", to = "safe" }]

    [[migrations]]
    version = 3
    name = "move it again"
    steps = [{ rename = "sync.pass", to = "token" }, { move = "safe", to = "vault" }, { rename = "colour", to = "theme" }]

    """

  init(seed: UInt64) throws {
    random = Numbers(state: seed)
    try home.write(Self.schema, to: home.path + "/data/app-settings/\(app).toml")
    // The file is known to be the app's before anyone names it by its path.
    _ = try run(["set", app, "theme", "light"])
  }

  // MARK: Secrets

  /// A text that nobody is to see. Its core has no character that any notation escapes.
  private func secret() -> String {
    made += 1
    return ["", "\"", "a\\b ", "ä\n", "'", "#"].randomElement(using: &random)! + core()
      + ["", "\"q\"", "\t", " = 1", "\n[x]\n", "é"].randomElement(using: &random)!
  }

  private func core() -> String {
    "Q7z" + (0..<13).map { _ in String("ABCDEFGHKLMNPRSTUVWXYZ0123456789".randomElement(using: &random)!) }.joined()
  }

  /// A text as a TOML string.
  private func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      switch scalar {
      case "\"", "\\": "\\\(scalar)"
      case "\n": "\\n"
      case "\t": "\\t"
      default: String(scalar)
      }
    }
    return "\"\(escaped.joined())\""
  }

  private func json(_ text: String) -> String { quoted(text) }

  /// A text of a file with secrets in all places, in a form of this release.
  private func text(isBroken: Bool = false) -> String {
    """
    settings-version = 3
    # the token was \(core())
    token = \(quoted(secret()))  # \(core())
    theme = "\(["light", "dark", "blue"].randomElement(using: &random)!)"
    pins = [
      \(quoted(secret())), # \(core())
      \(quoted(secret())),
    ]
    \(isBroken ? "broken = = \(core())" : "old-token = \(quoted(secret()))")

    [sync]
    user = "me"
    # sync.token = \(core())
    token = '\(core())'

    [accounts.\(core())]
    user = "me"
    password = \(quoted(secret()))

    [vault]
    \(core()) = \(quoted(secret()))

    """
  }

  /// A text of an older release.
  private func oldText(_ version: Int) -> String {
    version == 1
      ? """
      colour = "red"
      pass.word = \(quoted(secret())) # \(core())
      keyring = { \(core()) = \(quoted(secret())) }
      before.token = \(quoted(secret()))

      """
      : """
      settings-version = 2
      sync.pass = \(quoted(secret()))
      safe.\(core()) = \(quoted(secret()))
      pins = [\(quoted(secret()))]

      """
  }

  // MARK: Doors

  static let doorCount = 19

  /// Changes the settings in each of the ways that there are, in any order.
  func passAllDoors() throws {
    for door in (0..<Self.doorCount).shuffled(using: &random) {
      if try pass(door) { usedDoors.insert(door) }
      // A change of what is no secret goes along.
      if Bool.random(using: &random) { _ = try run(["set", app, "theme", "t\(made)"]) }
    }
  }

  private func pass(_ door: Int) throws -> Bool {
    switch door {
    case 0: return try run(["set", app, "token", "--", secret()])
    case 1: return try run(["set", app, "sync.token", "-"], input: secret())
    case 2: return try run(["set", app, "old-token=\(secret())", "vault.\(core())=\(secret())", "theme=x\(made)"])
    case 3: return try run(["set", app, "pins", "--append", secret(), "--append=\(core())"])
    case 4: return try run(["set", app, "accounts.\(core())", "{ user = 'me', password = \(quoted(secret())) }"])
    case 5: return try run(["import", app, "-", "--format", "json", "--replace"], input: importText)
    case 6: return try run(["import", app, "-", "--format", "toml", "--replace"], input: text())
    case 7: return try edit(text())
    case 8:
      try write(oldText(1))
      return try run(["migrate", app])
    case 9:
      try write(oldText(2))
      return try run(["set", app, "token", "--", secret()])
    case 10: return try undo()
    case 11:
      let name = core()
      _ = try run(["set", app, "vault.\(name)", secret()])
      return try run(["rename", app, "vault.\(name)", "vault.\(core())"])
    case 12: return try run(["batch", app], input: batchText)
    case 13:
      return try run([
        "unset", app, ["token", "vault", "pins", "sync.token", "accounts"].randomElement(using: &random)!,
      ])
    case 14:
      try write(text(isBroken: true))
      return try run(["recover", app])
    case 15:
      try write(text(isBroken: true))
      _ = try look(["list", app])
      return try look(["recover", app, "--restore"]) == 0
    case 16:
      try write(oldText(1))
      return try run(["migrate", app]) && run(["migrate", app, "--undo"]) && run(["set", app, "theme", "u\(made)"])
    case 17:
      try write(text())
      return try run(["set", home.file, "theme", "p\(made)"]) && run(["unset", home.file, "old-token"])
    default:
      defer { _ = try? run(["unlock", app, "token", "sync.token"]) }
      return try run(["lock", app, "token=\(secret())", "sync.token"])
    }
  }

  private var importText: String {
    "{\"token\": \(json(secret())), \"pins\": [\(json(secret()))], \"vault\": {\(json(core())): \(json(secret()))}}"
  }

  private var batchText: String {
    """
    {"set": "sync.token", "value": \(json(secret()))}
    {"set": ["vault", "\(core())"], "value": \(json(secret()))}
    {"append": "pins", "value": \(json(secret()))}
    {"set": "theme", "value": "b\(made)"}

    """
  }

  private func write(_ text: String) throws {
    try home.write(text)
    chmod(home.file, 0o600)
  }

  private func edit(_ text: String) throws -> Bool {
    try home.write(text, to: home.path + "/new.toml")
    return try run(["edit", app], editor: "cp '\(home.path)/new.toml'")
  }

  private func undo() throws -> Bool {
    _ = try run(["set", app, "theme", "before\(made)"])
    let isDone = try look(["undo", app, "theme"]) == 0
    for words in [
      ["redo", app, "theme"], ["undo", app, "token"], ["undo", app], ["redo", app], ["undo", app, "--dry-run"],
      ["undo", app, "vault", "--dry-run"],
    ] {
      _ = try look(words)
    }
    return isDone
  }

  /// - Returns: Whether it succeeded.
  private func run(_ words: [String], input: String? = nil, editor: String = "true") throws -> Bool {
    var environment = home.environment
    environment["EDITOR"] = editor
    return try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: environment, input: input, directory: home.path
    ).status == 0
  }

  // MARK: The search

  /// Runs a verb of the history, in whose answers no secret may be.
  private func look(_ words: [String]) throws -> Int32 {
    let result = try ChildProcess.run(
      ChildProcess.product("settings-cli"), words, environment: home.environment, directory: home.path)
    seenPlaceholders += result.output.contains("(not in the history)") ? 1 : 0
    check(Array(result.output.utf8) + Array(result.error.utf8), "\(words)")
    return result.status
  }

  /// Searches the files of the history, and what verbs say of it.
  func search() throws {
    let state = home.path + "/state"
    for case let name as String in FileManager.default.enumerator(atPath: state) ?? .init() {
      guard name.contains(".history/") || !name.contains(".backups/") else { continue }
      #expect(!name.contains("Q7z"))
      if let data = FileManager.default.contents(atPath: "\(state)/\(name)") { check(Array(data), name) }
    }
    for target in [app, home.file] {
      for words in [
        ["log"], ["log", "--json"], ["blame"], ["blame", "--json"], ["log", "token"], ["log", "vault", "--json"],
      ] {
        _ = try look([words[0], target] + words.dropFirst())
      }
    }
    let log = try ChildProcess.run(
      ChildProcess.product("settings-cli"), ["log", app, "--limit", "30"], environment: home.environment
    ).output
    for line in log.split(separator: "\n") where line.hasPrefix("#") {
      let entry = Int(line.dropFirst().prefix { $0.isNumber })!
      _ = try look(["at", app, "#\(entry)"])
      guard entry % 3 == 0 else { continue }
      for more in [["--diff"], ["token"], ["vault", "--json"], ["sync", "--diff"], ["theme", "--toml"]] {
        _ = try look(["at", app, "#\(entry)"] + more)
      }
      _ = try look(["undo", app, "#\(entry)", "--dry-run"])
    }
    _ = try look(["at", app, "0s", "--diff"])
  }

  private func check(_ bytes: [UInt8], _ what: String) {
    searchedBytes += bytes.count
    var at = bytes.startIndex
    while let next = bytes[at...].firstIndex(of: Self.mark[0]) {
      at = next + 1
      guard bytes[next...].starts(with: Self.mark) else { continue }
      let around = String(decoding: bytes[max(0, next - 300)..<min(bytes.count, next + 60)], as: UTF8.self)
      Issue.record("A secret, number \(made) or before, is in \(what): …\(around)")
      return
    }
  }
}

/// SplitMix64.
private struct Numbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
