import AppSettings
import AppSettingsObserve
import AppSettingsSchema
import SettingsTools

/// What one `watch` does.
struct Watching: Sendable {
  let path: TOMLPath?
  let isJSON: Bool
  let count: Int?
  let program: Program?
  /// The command of --exec, for messages.
  let command: String
  private let target: Target
  /// What the schema says now: an upgrade of the app may have made a key a secret.
  private var schema: SchemaLookup { target.schema }

  init(_ verb: WatchVerb, _ target: Target) throws {
    self.target = target
    path = try verb.key.map(KeyArgument.parse)
    isJSON = verb.json
    count = verb.count
    command = verb.exec ?? ""
    program = verb.exec.map { command in
      let words = (verb.shell ? ["/bin/sh", "-c", command, command] : [command]) + verb.arguments
      return Program(words: words.map(Arguments.path))
    }
  }

  /// Watches until the count is reached.
  func run(on store: SettingsStore) async throws {
    let schemaWatch = try target.watchSchema { target.forgetSchema() }
    defer { withExtendedLifetime(schemaWatch) {} }
    if let path {
      try await watch(path, in: store)
    } else {
      try await watchAll(store)
    }
  }

  /// Throws if the schema does not have the key, and no file has a value for it.
  ///
  /// - Throws: ``ToolError`` with status 3 and a suggestion.
  func checkKnown(in store: SettingsStore) throws {
    guard let path, schema.usedValue(of: path, in: store.snapshot) == nil else { return }
    try schema.checkKnown(path)
  }

  /// Prints the present value and then each new one; or the changes.
  private func watch(_ path: TOMLPath, in store: SettingsStore) async throws {
    // Made before the first reading, so that no change is missed.
    let changes = store.changes()
    var snapshot = store.snapshot
    var value = schema.usedValue(of: path, in: snapshot)
    var done = 0
    if !isJSON, program == nil {
      try print(bare(value, at: path, in: snapshot))
      done += 1
      if done == count { return }
    }
    for await batch in changes {
      let before = (snapshot, value)
      snapshot = store.snapshot
      value = schema.usedValue(of: path, in: snapshot)
      guard value != before.1 else { continue }
      if isJSON || program != nil {
        try await tell(path, before.1, value, in: before.0, snapshot, batch.origin)
      } else {
        try print(bare(value, at: path, in: snapshot))
      }
      done += 1
      if done == count { return }
    }
  }

  private func bare(_ value: TOMLValue?, at path: TOMLPath, in snapshot: SettingsSnapshot) -> String {
    let shown = value.flatMap { schema.withoutSecrets($0, at: path).value }
    return shown.map { Terminal.output.shown(Shown.bare($0, at: path, in: snapshot, schema)) } ?? ""
  }

  /// Prints every change, batch by batch.
  private func watchAll(_ store: SettingsStore) async throws {
    let changes = store.changes()
    var before = store.snapshot
    // The values printed since then: a snapshot may be newer than its batch, and already have the changes of the next.
    var told: [TOMLPath: TOMLValue?] = [:]
    var done = 0
    for await batch in changes {
      let after = store.snapshot
      var isTold = false
      for changed in batch.paths.map({ schema.names(of: $0)[0] }) {
        // The names in a secret are a part of it.
        let path = schema.knownKeys.secret(around: changed) ?? changed
        let old = told[path] ?? schema.usedValue(of: path, in: before)
        let new = schema.usedValue(of: path, in: after)
        guard old != new else { continue }
        told[path] = .some(new)
        isTold = true
        try await tell(path, old, new, in: before, after, batch.origin)
      }
      if batch.generation >= after.generation { (before, told) = (after, [:]) }
      guard isTold else { continue }
      if !isJSON, program == nil { try print("") }
      done += 1
      if done == count { return }
    }
  }

  private func tell(
    _ path: TOMLPath, _ old: TOMLValue?, _ new: TOMLValue?, in before: SettingsSnapshot, _ after: SettingsSnapshot,
    _ origin: SettingsChangeOrigin
  ) async throws {
    // A secret is shown if the user named its key. A program gets only what would be shown.
    let isHidden = self.path == nil && (schema.isSecret(path, old) || schema.isSecret(path, new))
    func shown(_ value: TOMLValue?) -> TOMLValue? {
      isHidden
        ? value.map { _ in .string(Shown.redacted) } : value.flatMap { schema.withoutSecrets($0, at: path).value }
    }
    let (old, new) = (shown(old), shown(new))
    if let program {
      try await run(
        program, path, old.map { Shown.bare($0, at: path, in: before, schema) },
        new.map { Shown.bare($0, at: path, in: after, schema) })
    } else if isJSON {
      let object: JSONObject = [
        "key": .text(path.description), "old": .value(old), "new": .value(new), "origin": .text(origin.rawValue),
      ]
      try print(object.text)
    } else {
      try print(
        new.map { Shown.line(path, isHidden ? nil : $0, Shown.text($0, at: path, in: after, schema)) }
          ?? Terminal.output.shown(path.description))
    }
  }

  private func print(_ line: String) throws {
    Output.text(line + "\n")
    try Output.flush()
  }

  /// Runs the program to its end, on a thread that may block. A failure is reported and does not end the watch.
  private func run(_ program: Program, _ path: TOMLPath, _ old: String?, _ new: String?) async throws {
    var variables = ["KEY": path.description, "OLD": old, "NEW": new]
    if let name = variables.first(where: { $0.value?.utf8.contains(0) == true })?.key {
      Output.warning(
        "'\(command)' was not run for '\(path)': its \(name == "NEW" ? "new" : "old") value has the character U+0000, "
          + "which no environment variable can hold. 'settings-cli get --json' prints such a value.")
      return
    }
    leaveOut(["OLD", "NEW"].filter { Program.isTooLong($0, variables[$0] ?? nil) }, path, &variables)
    var result = await result(of: program, variables)
    if case .failure(is Program.TooLong) = result {
      leaveOut(["OLD", "NEW"].filter { variables[$0] ?? nil != nil }, path, &variables)
      result = await self.result(of: program, variables)
    }
    switch result {
    case .success(.status(0)): break
    case .success(.status(let status)): Output.warning("'\(command)' ended with status \(status).")
    case .success(.signal(let number)): Output.warning("'\(command)' was ended by signal \(number).")
    case .failure(let failure as ToolError): Output.warning(failure.message ?? "")
    case .failure(let error): Output.warning("\(error)")
    }
  }

  /// Leaves variables out that are too long for a program's environment, and says how it gets the value.
  private func leaveOut(_ names: [String], _ path: TOMLPath, _ variables: inout [String: String?]) {
    guard !names.isEmpty else { return }
    for name in names { variables[name] = .some(nil) }
    Output.warning(
      "'\(command)' runs without \(names.joined(separator: " and ")) for '\(path)': the value is too long for an "
        + "environment variable. 'settings-cli get \(target.words) \"$KEY\"' prints the new one.")
  }

  private func result(of program: Program, _ variables: [String: String?]) async -> Result<Program.Ending, any Error> {
    await withCheckedContinuation { continuation in
      do throws(Errno) {
        try PlainThread.start("watch-exec") {
          continuation.resume(returning: Result { try program.run(adding: variables) })
        }
      } catch {
        continuation.resume(returning: .failure(SettingsError.noThread(error, "run '\(command)'")))
      }
    }
  }
}

extension Target {
  /// Watches the files where the schema may be, as long as the result is kept.
  ///
  /// - Parameter changed: Called on the thread that watches files, before any later change of the settings is noticed.
  func watchSchema(_ changed: @escaping @Sendable () -> Void) throws -> [WatchSubscription] {
    guard !isFile else { return [] }
    return try SettingsSchema.searchPath(app: name, environment: nil).map { path in
      WatchHub.shared.subscribe(to: .file(path), problem: { _ in }) { _ in
        changed()
        return .settled
      }
    }
  }
}
