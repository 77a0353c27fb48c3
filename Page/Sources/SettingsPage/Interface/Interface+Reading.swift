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

  /// The values of a file, to be taken elsewhere: as the text of a drop-in, and as commands; and in both forms each value
  /// that the app uses.
  func dropIn(_ call: Call) async throws -> Reply {
    let place = try place(call)
    let document = try JSONTree(parsing: try await answer(["describe", "--document"] + place.words).output)
    let text = try await answer(["export", "--toml"] + place.words).text
    let lines = CommandLines(of: document)
    guard try await commands.digest(place) == document["digest"]?.text, var dropIn = try? TOMLDocument(parsing: text)
    else {
      throw Refusal(.conflict, "The file changed while it was being read. Try again.")
    }
    let own = lines.all.filter(\.isOwn)
    // The command also exports what is below a profile.
    dropIn.keep(Set(own.compactMap { try? TOMLPath(parsing: $0.key) }))
    return .json([
      "text": .text(dropIn.text), "commands": .text(own.map(\.command).joined()),
      "keys": .objects(lines.all.map { ["key": .text($0.key), "line": .text($0.line), "command": .text($0.command)] }),
    ])
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

/// The values that the app uses, but for secrets, as lines for a shell and for a file.
struct CommandLines {
  struct Line {
    let key: String
    /// `KEY = VALUE`.
    let line: String
    /// `settings-cli set APP KEY=VALUE`.
    let command: String
    /// Whether the value is that of the file that is written.
    let isOwn: Bool
  }

  let all: [Line]

  /// - Parameter document: What `describe --document` prints.
  init(of document: JSONTree) {
    let target = Self.quoted(document["target"]?.text ?? "")
    all = (document["keys"]?.elements ?? []).compactMap { facts in
      guard let key = facts["key"]?.text, let value = facts["value"], value != .null, facts["isSecret"]?.flag != true,
        let toml = facts["toml"]?.text ?? (try? JSONText.value(of: value.json))??.tomlText
      else { return nil }
      // Without its type, a string such as "14" would become a number where no schema says otherwise.
      let string = toml.first == "\"" ? value.text : nil
      let options = (facts["isKnown"]?.flag == false ? ["--create"] : []) + (string == nil ? [] : ["--type string"])
      let pair = Self.quoted("\(key)=\(string ?? toml)")
      // Otherwise the key would be an option, or the value what is on standard input.
      let words = key.first == "-" || string == "-" ? options + ["--", pair] : [pair] + options
      return Line(
        key: key, line: "\(key) = \(toml)\n",
        command: "settings-cli set \(target) \(words.joined(separator: " "))\n",
        isOwn: facts["file"]?.text == document["file"]?.text)
    }
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
