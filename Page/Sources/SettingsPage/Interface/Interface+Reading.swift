import AppSettings
import HTTPTypes
import SettingsTools

/// The routes that change nothing.
extension Interface {
  func apps(_ call: Call) async throws -> Reply { .json(try await answer(["apps", "--json"]).output) }

  func document(_ call: Call) async throws -> Reply {
    let result = try await answer(["describe", "--document"] + place(call).words)
    var reply = Reply.json(result.output)
    if let digest = JSONTree.member("digest", of: result.output)?.text { reply.headers[.eTag] = "\"\(digest)\"" }
    return reply
  }

  func key(_ call: Call) async throws -> Reply {
    let words = try ["describe", "--json"] + place(call).words + [CommandWords.key(call["key"])]
    return .json(try await answer(words).output)
  }

  func history(_ call: Call) async throws -> Reply {
    let limit = try call.query["limit"].map { ["--limit=\(try CommandWords.number($0))"] } ?? []
    let key = try call.query["key"].map { [try CommandWords.key($0)] } ?? []
    return try await list(["log", "--json"] + limit + place(call).words + key)
  }

  func formerText(_ call: Call) async throws -> Reply {
    let entry = "--entry=\(try CommandWords.number(call["number"]))"
    return .json(["text": .text(try await answer(["at", entry] + place(call).words).text)])
  }

  func find(_ call: Call) async throws -> Reply {
    let words = (call.query["q"] ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    guard !words.isEmpty else { throw Refusal(.badRequest, "The parameter 'q' is missing.") }
    guard words.joined().utf8.count <= 1024, !words.contains(where: { $0.unicodeScalars.contains("\0") }) else {
      throw Refusal(.badRequest, "The parameter 'q' is not a search.")
    }
    return try await list(["find", "--json", "--"] + words)
  }

  /// The array that a command prints. One without elements is an answer, too, although the command exits 1.
  private func list(_ words: [String]) async throws -> Reply {
    let result = try await commands.run(words)
    if result.status == 1 { return .json(result.output.isEmpty ? Array("[]\n".utf8) : result.output) }
    guard result.status == 0 else { throw Refusal(result) }
    return .json(result.output)
  }

  /// The values of a file, to be taken elsewhere: as the text of a drop-in, and as commands.
  func dropIn(_ call: Call) async throws -> Reply {
    let place = try place(call)
    async let text = answer(["export", "--toml"] + place.words)
    async let lines = answer(["list", "--changed"] + place.words)
    async let values = answer(["list", "--changed", "--json"] + place.words)
    guard
      let commands = CommandLines(target: place.target, lines: try await lines.text, json: try await values.output),
      var dropIn = try? TOMLDocument(parsing: try await text.text)
    else {
      throw Refusal(.conflict, "The file changed while it was being read. Try again.")
    }
    // The command also exports what is below a profile.
    dropIn.keep(Set(commands.keys.compactMap { try? TOMLPath(parsing: $0) }))
    return .json(["text": .text(dropIn.text), "commands": .text(commands.text)])
  }
}

extension TOMLDocument {
  /// Removes what is not at or below some keys, apart from the version.
  fileprivate mutating func keep(_ keys: Set<TOMLPath>) {
    let above = Set(keys.flatMap { key in key.components.indices.map { TOMLPath(Array(key.components[..<$0])) } })
    func others(_ table: TOMLTable, at path: TOMLPath) -> [TOMLPath] {
      table.flatMap { name, value -> [TOMLPath] in
        let inner = path.appending(name)
        if keys.contains(inner) || inner == ["settings-version"] { return [] }
        guard case .table(let table) = value, above.contains(inner) else { return [inner] }
        return others(table, at: inner)
      }
    }
    let others = others(root, at: .root)
    try? edit { try $0.removeAll(at: others) }
  }
}

/// Values as lines for a shell: `settings-cli set APP KEY=VALUE`.
struct CommandLines {
  let text: String
  let keys: [String]

  /// - Parameters:
  ///   - lines: What `list` prints: a value in TOML after each key, and `(secret)` for a secret.
  ///   - json: What `list --json` prints: the same values in the same order.
  /// - Returns: `nil` if the file changed between the two.
  init?(target: String, lines: String, json: [UInt8]) {
    let members = (try? JSONTree(parsing: json).elements) ?? []
    let lines = lines.split(separator: "\n")
    guard members.count == lines.count else { return nil }
    keys = members.compactMap { $0["key"]?.text }
    text = zip(members, lines).map { member, line -> String in
      guard let key = member["key"]?.text, line.hasPrefix("\(key) = ") else { return "" }
      let value = line.dropFirst(key.count + 3)
      guard value != "(secret)" else { return "" }
      // Without its type, a string such as "14" would become a number where no schema says otherwise.
      let string = value.first == "\"" || value.first == "'" ? member["value"]?.text : nil
      let type = string == nil ? [] : ["--type string"]
      let pair = Self.quoted("\(key)=\(string ?? String(value))")
      // Otherwise the key would be an option, or the value what is on standard input.
      let isLiteral = key.first == "-" || string == "-"
      let words = isLiteral ? type + ["--", pair] : [pair] + type
      return "settings-cli set \(Self.quoted(target)) \(words.joined(separator: " "))\n"
    }.joined()
  }

  /// A word that the shell takes as it is.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      let character = Character(Unicode.Scalar(byte))
      return byte < 0x80 && (character.isLetter || character.isNumber || "-._/:=@,+".contains(character))
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: #"'\''"#))'"
  }
}
