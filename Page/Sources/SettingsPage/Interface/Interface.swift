import AppSettings
import HTTPTypes
import SettingsTools

/// The HTTP interface: what the server does at each path. Page/README.md and openapi.yaml describe it.
///
/// Every answer is that of a command: what `settings-cli` refuses is refused here, in the same words, and what it does
/// not show is in no answer.
struct Interface: Sendable {
  let commands: Commands
  let trials: Trials
  let hub: WatchHub
  let life: Life
  /// The path that is served besides apps, if there is one.
  let servedPath: String?
  /// What the page begins with: the code of its address, for the token.
  let session: (code: AddressCode, token: Token)

  var routes: [Route] {
    [
      Route(.get, "/api/apps", apps),
      Route(.get, "/api/apps/{app}", parameters: ["layer"], document),
      Route(.get, "/api/apps/{app}/keys/{key}", parameters: ["layer"], key),
      Route(
        .post, "/api/apps/{app}/edits",
        members: ["edits", "ifUnchanged", "layer", "dryRun", "create", "tryFor"], edits),
      Route(.post, "/api/apps/{app}/trials/{id}/keep", keepTrial),
      Route(.delete, "/api/apps/{app}/trials/{id}", endTrial),
      Route(.put, "/api/apps/{app}/text", members: ["text", "ifUnchanged", "layer"], text),
      Route(
        .post, "/api/apps/{app}/rename",
        members: ["from", "to", "replace", "create", "ifUnchanged", "layer"], rename),
      Route(.get, "/api/apps/{app}/history", parameters: ["key", "limit", "layer"], history),
      Route(.get, "/api/apps/{app}/history/{number}/text", parameters: ["layer"], formerText),
      Route(.post, "/api/apps/{app}/undo", members: ["key", "entry", "dryRun", "ifUnchanged", "layer"]) {
        try await takeBack("undo", $0)
      },
      Route(.post, "/api/apps/{app}/redo", members: ["key", "dryRun", "ifUnchanged", "layer"]) {
        try await takeBack("redo", $0)
      },
      Route(.post, "/api/apps/{app}/migrate", members: ["dryRun", "layer"], migrate),
      Route(.post, "/api/apps/{app}/recover", members: ["layer"], recover),
      Route(.post, "/api/apps/{app}/profile", members: ["use"], profile),
      Route(.get, "/api/apps/{app}/drop-in", parameters: ["layer"], dropIn),
      Route(.get, "/api/find", parameters: ["q"], find),
      Route(.get, "/api/events", parameters: ["app"], events),
      Route(.post, RequestGuard.session, members: ["code"], begin),
      Route(.post, "/api/end", end),
    ]
  }

  // MARK: What routes share

  /// The app, or the path, that a request is about.
  func target(_ call: Call) throws -> String { try CommandWords.app(call["app"], servedPath: servedPath) }

  /// Runs a command that has to succeed.
  func answer(_ words: [String]) async throws -> CommandResult {
    let result = try await commands.run(words)
    guard result.status == 0 else { throw Refusal(result) }
    return result
  }

  func requiredText(_ name: String, in call: Call) throws -> String {
    guard let text = call.body[name]?.text else { throw Refusal(.badRequest, "The body needs the string '\(name)'.") }
    return text
  }

  func flag(_ name: String, in call: Call) throws -> Bool {
    guard let value = call.body[name], value != .null else { return false }
    guard let flag = value.flag else { throw Refusal(.badRequest, "'\(name)' is true or false.") }
    return flag
  }

  /// The file that a request is about.
  func place(_ call: Call) throws -> Trial.Place { Trial.Place(target: try target(call), options: try layer(call)) }

  private func layer(_ call: Call) throws -> [String] {
    guard let value = call.body["layer"], value != .null else { return try CommandWords.layer(call.query["layer"]) }
    guard let text = value.text else { throw Refusal(.badRequest, "'layer' is a string.") }
    return try CommandWords.layer(text)
  }

  private func begin(_ call: Call) async throws -> Reply {
    guard session.code.use(try requiredText("code", in: call)) else {
      throw Refusal(.unauthorized, "This address was used already. Run 'settings-cli page' to open the settings.")
    }
    return .json(["token": .text(session.token.text)])
  }

  private func end(_ call: Call) async throws -> Reply {
    life.end()
    return .json([:])
  }
}
