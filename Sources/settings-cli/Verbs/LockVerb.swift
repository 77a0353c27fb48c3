import AppSettings
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct LockVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "lock",
    abstract: "Lock keys for all users, in an administrator's file.",
    discussion: """
      A locked key has the value that administrators' files give it, or else the app's default. Users cannot set it, and \
      a value in a user's file has no effect. KEY=VALUE sets the value in the same write; KEY=- reads it \
      from standard input, as 'set' does. A locked table locks everything in it.

      The lock is written to administrators' main file, or with --drop-in to a drop-in. A path names the file itself. \
      Users who try to set the key see the reason.

      EXAMPLES
        settings-cli lock org.example.editor update.channel --reason 'Licences cover the stable channel only.'
        settings-cli lock org.example.editor update.channel=stable --drop-in 50-site
        settings-cli lock ./staging/settings.toml proxy
      """)

  @OptionGroup var target: TargetArgument
  @Argument(
    help: ArgumentHelp("The dotted keys, each with or without a value.", valueName: "key"),
    completion: .custom(Candidates.keysOrAssignments))
  var keys: [String]
  @Option(parsing: .unconditional, help: ArgumentHelp("Why, for users who meet the lock.", valueName: "text"))
  var reason: String?
  @Flag(help: "Also lock keys that the app's schema does not list.") var create = false
  @OptionGroup var common: CommonOptions

  func answer() throws {
    if let reason { try Arguments.checkText(reason, "reason") }
    var words = try keys.map { word in
      let assignment = try KeyArgument.assignment(word)
      return (key: try assignment?.key ?? KeyArgument.parse(word), text: assignment?.text)
    }
    ProcessTitle.hide(keys.filter { $0.contains("=") })
    var assigned: Set<TOMLPath> = []
    for word in words where word.text != nil {
      guard assigned.insert(word.key).inserted else {
        throw ToolError(.usage, "'\(word.key)' is given more than once.")
      }
    }
    // Behind '--' it is a value like any other.
    let literals = Arguments.words.firstIndex(of: "--").map { Arguments.words.count - $0 - 1 } ?? 0
    let inputs = words.indices.dropLast(literals).filter { words[$0].text == "-" }
    guard inputs.count < 2 else { throw ToolError(.usage, SettingsChange.oneInput) }
    for index in inputs { words[index].text = try StandardInput.value(of: words[index].key, allowsEmpty: nil) }
    let target = try Target(target).administrators
    let opened = try target.open(mayBeUnknown: create, mayBeNew: true, isForWriting: true)
    let schema = opened.schema
    if !create, !opened.snapshot.hasSettings { try target.checkOrder(keys, of: "lock") }
    if !create { for word in words { try schema.checkKnown(word.key, advice: "To lock it, use --create.") } }
    let values = ChangeList(
      words.compactMap { word in word.text.map { SettingChange(.set, word.key, .typed($0, nil)) } }, of: opened,
      creates: create, advice: "To lock it, use --create.")
    var already: [(key: TOMLPath, by: SettingsLock)] = []
    do {
      try opened.commit { view in
        already = []
        var locks = try LockList(of: view.userDocument, in: opened)
        for word in words {
          let path = schema.key(word.key)?.path ?? word.key
          if let lock = view.lock(of: path) {
            already.append((path, lock))
          } else {
            locks.add(LockEntry(path, reason: reason))
          }
        }
        return try values.edits(view) + [locks.edit].compactMap(\.self)
      }
    } catch let refused as ChangeList.Refused {
      throw values.failure ?? refused
    }
    for (key, lock) in already { Output.note("'\(key)' is locked already, by \(lock.place).") }
    try values.checkEffects()
    if let failure = values.failure { throw failure }
    let now = opened.snapshot
    for word in words where schema.values(at: word.key, in: now).isEmpty {
      Output.note("Neither this file nor a lower one sets '\(word.key)', so it is locked to the app's default.")
    }
  }
}

struct UnlockVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract: "Remove the locks of keys from an administrator's file.",
    discussion: """
      The value stays in the file, as a default that users can override. Exits 1 if none of the keys was locked there; \
      the message says which file locks it.

      EXAMPLES
        settings-cli unlock org.example.editor update.channel
        settings-cli unlock org.example.editor proxy --drop-in 50-site
      """)

  @OptionGroup var target: TargetArgument
  @Argument(help: ArgumentHelp("The dotted keys.", valueName: "key"), completion: .custom(Candidates.keys))
  var keys: [String]
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let paths = try keys.map(KeyArgument.parse)
    let target = try Target(target).administrators
    let opened = try target.open(isForWriting: true)
    let schema = opened.schema
    var missing: [TOMLPath] = []
    try opened.commit { view in
      var locks = try LockList(of: view.userDocument, in: opened)
      missing = paths.filter { path in !schema.names(of: path).map { locks.remove($0) }.contains(true) }
      return [locks.edit].compactMap(\.self)
    }
    let all = try opened.effective
    for path in missing {
      let lock = schema.origin(of: path, in: all).lock
      let advice =
        lock.map { "It is locked by \($0.place), perhaps with a table around it: unlock it there." }
        ?? "No administrator's file locks it."
      let message = "'\(path)' is not in the list of locks of '\(opened.file)'. \(advice)"
      if missing.count == paths.count, path == missing.last { throw ToolError(.noValue, message) }
      Output.note(message)
    }
  }
}

/// The list of locks of a file, to be changed.
private struct LockList {
  /// What the list has; `nil` where a lock was removed.
  private var elements: [TOMLValue?] = []
  /// Where the locks of a key are in it.
  private var places: [TOMLPath: [Int]] = [:]
  /// Whether each lock is a table.
  private var isOfTables = false
  /// Whether the list has comments, with which it stays when it is empty.
  private var hasComments = false
  private var hasChanged = false

  /// - Throws: ``ToolError`` with status 4 if the file has something else there.
  init(of document: TOMLDocument, in opened: OpenedSettings) throws {
    switch document[SettingsFormat.locksPath] {
    case nil: break
    case .array(let found)?:
      elements = found
      for (index, element) in found.enumerated() {
        if let lock = try? LockEntry(element) { places[lock.path, default: []].append(index) }
      }
      isOfTables = found.allSatisfy { $0.table != nil }
      hasComments = document.hasComment(inArrayAt: SettingsFormat.locksPath)
    case let other?:
      let line = document.position(of: SettingsFormat.locksPath).map { ", line \($0.line)" } ?? ""
      throw ToolError(
        .invalidValue,
        "Cannot change the locks of '\(opened.file)'\(line): 'settings-locked' is \(other.kindName), but "
          + "must be an array of keys. Nothing was written. Correct that line.")
    }
  }

  /// Adds a lock. One of the same key gets the new reason, if there is one.
  mutating func add(_ lock: LockEntry) {
    guard let index = places[lock.path]?.first else {
      if elements.isEmpty { isOfTables = lock.value.table != nil }
      places[lock.path] = [elements.count]
      // A list of tables stays one.
      elements.append(isOfTables ? .table(lock.table) : lock.value)
      hasChanged = true
      return
    }
    guard lock.reason != nil, elements[index] != lock.value else { return }
    elements[index] = lock.value
    hasChanged = true
  }

  /// Removes the locks of a key, and returns whether there was one.
  mutating func remove(_ path: TOMLPath) -> Bool {
    guard let found = places.removeValue(forKey: path) else { return false }
    for index in found { elements[index] = nil }
    hasChanged = true
    return true
  }

  /// The edit that stores the list; `nil` if it is as before.
  var edit: Edit? {
    let left = elements.compactMap(\.self)
    return hasChanged
      ? Edit(path: SettingsFormat.locksPath, value: left.isEmpty && !hasComments ? nil : .array(left)) : nil
  }
}

extension Target {
  /// This target, or for an app's id without --system and --drop-in administrators' main file: users cannot lock.
  fileprivate var administrators: Target {
    get throws {
      if case .personal = layer {
        throw ToolError(.usage, "Only administrators' files have locks: use --system or --drop-in, not --layer.")
      }
      return isFile || isAdministrators ? self : at(.system)
    }
  }
}
