import AppSettings
import HTTPTypes
import SettingsTools

/// The routes that change a file. Each is one write of the command, or none.
extension Interface {
  func edits(_ call: Call) async throws -> Reply {
    let place = try place(call)
    let isDryRun = try flag("dryRun", in: call)
    var words = try ["batch"] + CommandWords.ifUnchanged(call.body["ifUnchanged"])
    if isDryRun { words.append("--dry-run") }
    if try flag("create", in: call) { words.append("--create") }
    let edits = try Edits(call.body["edits"])
    if let seconds = call.body["tryFor"], seconds != .null {
      guard !isDryRun, let seconds = seconds.integer, (1...300).contains(seconds) else {
        throw Refusal(.badRequest, "'tryFor' is a number of seconds from 1 to 300, and not for a dry run.")
      }
      return try await trial(edits, words, place, seconds: seconds)
    }
    let result = try await commands.run(words + place.words, input: edits.lines)
    if isDryRun {
      guard result.status == 0 else { throw Refusal(result) }
      return .json(["results": .objects([]), "diff": .text(result.text)])
    }
    return try await written(result, ChangeAnswer.lines(result.output), place)
  }

  /// Makes edits that are taken back unless they are kept.
  private func trial(_ edits: Edits, _ words: [String], _ asked: Trial.Place, seconds: Int) async throws -> Reply {
    let (id, place) = try await trials.begin(asked, keys: edits.keys)
    let (result, former): (CommandResult, String)
    do {
      former = try await commands.digest(place)
      // What the history does not keep could not be put back.
      result = try await commands.run(words + ["--trial"] + place.words, input: edits.lines) { [trials] in
        trials.started(id, $0)
      }
    } catch {
      await trials.takeBack(id, hasFailed: true)
      throw error
    }
    let results = ChangeAnswer.lines(result.output)
    guard result.status == 0 else {
      // A value that a higher layer hides was stored although the command says that it has no effect.
      await trials.takeBack(id, hasFailed: true)
      throw refusal(result, results)
    }
    let isRecorded = await trials.isRecorded(id)
    // Edits of one key may end where they began.
    let isBack = isRecorded ? false : (try? await commands.digest(place)) == former
    guard results.contains(where: { $0.isChange == true }), !isBack else {
      trials.forget(id)
      return try await written(result, results, place)
    }
    guard isRecorded else {
      trials.forget(id)
      throw Refusal(
        .internalServerError,
        "The change was made, but could not be recorded in the history. So it stays, unless you undo it.")
    }
    trials.run(id, for: .seconds(seconds))
    return try await written(result, results, place, with: ["trial": .text(id)])
  }

  func keepTrial(_ call: Call) async throws -> Reply {
    guard await trials.keep(call["id"], of: try target(call)) else { throw Self.noTrial }
    return .json([:])
  }

  func endTrial(_ call: Call) async throws -> Reply {
    switch await trials.end(call["id"], of: try target(call)) {
    case .undone: return .json([:])
    case .failed(let result): throw Refusal(result)
    case nil: throw Self.noTrial
    }
  }

  private static let noTrial = Refusal(.notFound, "There is no such trial. It may be over.")

  func text(_ call: Call) async throws -> Reply {
    let place = try place(call)
    let words = try ["edit", "--text=-", "--json"] + CommandWords.ifUnchanged(call.body["ifUnchanged"])
    let input = Array(try requiredText("text", in: call).utf8)
    let result = try await commands.run(words + place.words, input: input)
    let findings = (try? JSONTree(parsing: result.output)) ?? .array([])
    let shown: JSONObject = ["findings": .json(findings.json)]
    guard result.status == 0 else {
      let all = findings.elements ?? []
      // A warning is not why.
      let reason = all.first { $0["severity"]?.text == "error" } ?? all.first
      throw Refusal(result, message: reason?["message"]?.text ?? result.messages.last, with: shown)
    }
    return try await written(result, [], place, with: shown)
  }

  func rename(_ call: Call) async throws -> Reply {
    let keys = try ["from", "to"].map { try CommandWords.key(requiredText($0, in: call)) }
    var options = try flag("replace", in: call) ? ["--replace"] : []
    if try flag("create", in: call) { options.append("--create") }
    options += try CommandWords.ifUnchanged(call.body["ifUnchanged"])
    return try await write(["rename"] + options, call, keys)
  }

  /// Takes a change back, or what took one back.
  func takeBack(_ verb: String, _ call: Call) async throws -> Reply {
    var words = try [verb, "--json"] + CommandWords.ifUnchanged(call.body["ifUnchanged"])
    let isDryRun = try flag("dryRun", in: call)
    if isDryRun { words.append("--dry-run") }
    let place = try place(call)
    var operands: [String] = []
    if let entry = call.body["entry"], entry != .null {
      guard call.body["key"] ?? .null == .null, let number = entry.integer, number > 0 else {
        throw Refusal(.badRequest, "'entry' is the number of an entry, and stands alone.")
      }
      words.append("--entry=\(number)")
    } else if let key = call.body["key"], key != .null {
      operands.append(try CommandWords.key(requiredText("key", in: call)))
    }
    let result = try await answer(words + place.words + operands)
    let undone = try? JSONTree(parsing: result.output)
    var object: JSONObject = [:]
    for (name, member) in [("undone", "entry"), ("changes", "changes"), ("diff", "diff")] {
      if let value = undone?[member] { object[name] = .json(value.json) }
    }
    return isDryRun ? .json(object) : try await written(result, nil, place, with: object)
  }

  func migrate(_ call: Call) async throws -> Reply {
    let isDryRun = try flag("dryRun", in: call)
    return try await write(["migrate"] + (isDryRun ? ["--dry-run"] : []), call, [], isDryRun: isDryRun)
  }

  func recover(_ call: Call) async throws -> Reply {
    try await write(["recover", "--restore"], call, [])
  }

  func profile(_ call: Call) async throws -> Reply {
    guard let use = call.body["use"], use == .null || use.text != nil else {
      throw Refusal(.badRequest, "'use' is the name of a profile, or null.")
    }
    let words = try use.text.map { try ["--", target(call), "use", CommandWords.profile($0)] }
    let result = try await answer(["profile"] + (words ?? ["--none", "--", target(call), "use"]))
    return .json(["message": .text(result.text)])
  }

  // MARK: What writing routes share

  /// Runs a command that prints a text for people: what it did, or for a dry run the difference that it would make.
  private func write(_ words: [String], _ call: Call, _ operands: [String], isDryRun: Bool = false) async throws
    -> Reply
  {
    let place = try place(call)
    let result = try await answer(words + place.words + operands)
    if isDryRun { return .json(["diff": .text(result.text)]) }
    return try await written(result, nil, place, with: ["message": .text(result.text)])
  }

  /// The answer to a write: what it did, and the file's state after it.
  private func written(
    _ result: CommandResult, _ results: [ChangeAnswer]?, _ place: Trial.Place, with more: JSONObject = [:]
  ) async throws -> Reply {
    guard result.status == 0 else { throw refusal(result, results ?? []) }
    async let digest = commands.digest(place)
    async let entry = commands.entry(of: result.pid, place)
    let state: JSONObject = [
      "digest": .text(try await digest),
      "entry": .number((try? await entry) ?? nil), "notes": .texts(result.messages),
    ]
    return .json((results.map(Self.members) ?? [:]) + more + state)
  }

  private func refusal(_ result: CommandResult, _ results: [ChangeAnswer]) -> Refusal {
    let refused = results.refused
    return Refusal(
      result, key: refused?.path?.description, message: refused?.failure?.message,
      with: results.isEmpty ? [:] : Self.members(results))
  }

  private static func members(_ results: [ChangeAnswer]) -> JSONObject { ["results": .objects(results.map(\.json))] }
}

/// The edits of a request: lines for `settings-cli batch`. Values go in over its standard input, which nobody else sees.
struct Edits {
  let lines: [UInt8]
  /// Their keys, as dotted keys.
  let keys: [String]

  init(_ value: JSONTree?) throws {
    guard let edits = value?.elements, !edits.isEmpty else {
      throw Refusal(.badRequest, "'edits' is an array of at least one edit.")
    }
    var keys: [String] = []
    for edit in edits {
      guard let key = SettingChange.Action.allCases.lazy.compactMap({ edit[$0.rawValue] }).first, edit["get"] == nil
      else {
        throw Refusal(.badRequest, #"An edit is an object with "set", "unset", "append" or "remove"."#)
      }
      if let text = key.text {
        keys.append(text)
      } else if let parts = key.elements?.compactMap(\.text), !parts.isEmpty, parts.count == key.elements?.count {
        keys.append(TOMLPath(parts).description)
      } else {
        throw Refusal(.badRequest, "The key of an edit is a string, or an array of strings.")
      }
    }
    self.keys = keys
    lines = Array(edits.map { $0.json + "\n" }.joined().utf8)
  }
}
