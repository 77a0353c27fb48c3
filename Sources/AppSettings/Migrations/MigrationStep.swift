public import SettingsTOML

/// One change that a migration makes. It does nothing if its key is missing.
///
/// Keys are dotted. If one is not a path, that is a programming error and traps.
///
/// ```swift
/// Migration(2, "native tags", [
///   .decodeJSONString("tags"),
///   .rename("colour", to: "theme.accent"),
/// ])
/// ```
///
/// Steps edit the text, so comments and other keys stay. Several migrations can share a step.
public struct MigrationStep: Sendable {
  package let content: any StepContent

  package init(_ content: any StepContent) { self.content = content }

  /// Runs the step on a whole document. If it throws, the document may have changed.
  ///
  /// ```swift
  /// var document = try TOMLDocument(parsing: "colour = \"red\"\n")
  /// try MigrationStep.rename("colour", to: "theme.accent").run(on: &document)
  /// ```
  ///
  /// - Throws: `TOMLEditError`, what the code of the step throws, or an error that says why the step failed.
  package func run(on document: inout TOMLDocument) throws {
    try MigrationScope.run([self], on: &document)
  }

  /// Parses a path in the program's code; traps if it is invalid.
  package static func path(_ text: String) -> TOMLPath {
    do {
      return try TOMLPath(parsing: text)
    } catch {
      preconditionFailure("Invalid key '\(text)' in a migration: \(error)")
    }
  }
}

/// What a step does, in any place of a document.
package protocol StepContent: Sendable {
  /// Runs the step in a place. Most steps do nothing if their keys are missing there.
  ///
  /// - Throws: ``MigrationStepError``, `TOMLEditError`, or an error of the app's code.
  func run(in scope: inout MigrationScope) throws
}

// MARK: Keys

extension MigrationStep {
  /// Gives a key or a table another name or place, and moves its comments with it.
  ///
  /// If the old key is absent, nothing happens. If both keys exist, the new key keeps its value, since a newer release
  /// wrote it, and the old key is removed. The new key may be below the old one, as in
  /// `.rename("font", to: "font.name")`, or the old key below the new one if the table contains nothing else.
  ///
  /// ```swift
  /// .rename("colour", to: "theme.accent")
  /// ```
  ///
  /// - Parameters:
  ///   - old: The key to rename.
  ///   - new: The key's new name and place.
  ///   - replacing: Whether the moved value replaces an existing one.
  public static func rename(_ old: String, to new: String, replacing: Bool = false) -> MigrationStep {
    MigrationStep(RenameStep(old: path(old), new: path(new), isReplacing: replacing))
  }

  /// Copies the value of a key to another key. If the old key is absent or the new one exists, nothing happens.
  ///
  /// To protect memory from steps that copy copies, the migration fails if a value of more than 64 KiB would bring the
  /// settings above 8 MiB.
  ///
  /// ```swift
  /// .copy("font-size", to: "terminal.font-size")   // both start with what the user has chosen
  /// ```
  ///
  /// - Parameters:
  ///   - old: The key to copy.
  ///   - new: The key that gets the value.
  public static func copy(_ old: String, to new: String) -> MigrationStep {
    MigrationStep(CopyStep(old: path(old), new: path(new)))
  }

  /// Removes a key or a table, with its comments.
  ///
  /// You need not remove a key because the app no longer uses it. Remove it if its name gets another meaning, or if its
  /// value must not stay in the file.
  public static func remove(_ key: String) -> MigrationStep { MigrationStep(RemoveStep(key: path(key))) }

  /// Sets a key only if it is absent, so that users of an earlier release keep the old default.
  ///
  /// A new default itself needs no step, since defaults are never stored.
  ///
  /// ```swift
  /// .setDefault("autosave", false)   // the default was false, and is true for new users
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value to store if there is none.
  public static func setDefault(_ key: String, _ value: TOMLValue) -> MigrationStep {
    MigrationStep(SetDefaultStep(key: path(key), value: value))
  }

  /// Moves keys into a table, each under the last part of its name, with their comments.
  ///
  /// `.wrap("width", "height", in: "window")` moves the two keys to `window.width` and `window.height`. Absent keys are
  /// skipped. If a key is already in the table, it keeps its value and the old key is removed. A key may be the table, or be
  /// around it; if the table exists, it stays.
  ///
  /// - Parameters:
  ///   - keys: The keys to move.
  ///   - table: The table, which need not exist.
  public static func wrap(_ keys: String..., in table: String) -> MigrationStep {
    MigrationStep(WrapStep(kind: .keys(keys.map(path), table: path(table))))
  }

  /// Replaces a value with a table that contains it: `.wrap("font", as: "name")` moves `font` to `font.name`, unless
  /// `font` is a table already.
  public static func wrap(_ key: String, as member: String) -> MigrationStep {
    MigrationStep(WrapStep(kind: .value(path(key), member: path(member))))
  }

  /// Moves everything in a table one level up, with its comments. A key that already exists there keeps its value. The
  /// comments of the table itself, such as the one on its header, go above the first key that moves, or above the one
  /// with the table's own name.
  ///
  /// With `taking:` it replaces a table with one of its values: `.unwrap("font", taking: "name")` moves `font.name` to
  /// `font`, and fails if the table has other keys.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - member: The key in it that takes its place; `nil` to move all keys.
  public static func unwrap(_ table: String, taking member: String? = nil) -> MigrationStep {
    MigrationStep(UnwrapStep(table: path(table), member: member.map(path)))
  }
}

// MARK: Values

extension MigrationStep {
  /// Replaces values of a key with others: `.mapValues("level", ["hi": 3, "lo": 1])`.
  ///
  /// A value without an entry stays as it is.
  public static func mapValues(_ key: String, _ map: KeyValuePairs<TOMLValue, TOMLValue>) -> MigrationStep {
    let map = Dictionary(map.map { ($0.key, $0.value) }, uniquingKeysWith: { _, last in last })
    return MigrationStep(MapValuesStep(key: path(key), map: map))
  }

  /// Changes the type of a key's value with one or more conversions: `.convert("delay", .float, .scaled(by: 1000))`.
  ///
  /// A value that already has the type stays, so the step may run twice, except for `scaled`, which multiplies each
  /// time. A value that cannot be converted without loss makes the migration fail. The elements of an array are
  /// converted one by one.
  public static func convert(_ key: String, _ conversions: ValueConversion...) -> MigrationStep {
    MigrationStep(ConvertStep(key: path(key), conversions: conversions))
  }

  /// Joins the values of several keys to one string or array, and removes the old keys. If the new key exists, it keeps
  /// its value. The new key may be below an old one, or the old keys below the new one if the table contains nothing
  /// else.
  ///
  /// ```swift
  /// .merge("first", "last", into: "name", separator: " ")
  /// .merge("width", "height", into: "size", defaults: [640, 480])   // size = [800, 480]
  /// ```
  ///
  /// In a string, absent values are left out. A value that is not a string is joined as TOML writes it; an array or a
  /// table makes the migration fail.
  ///
  /// - Parameters:
  ///   - keys: The dotted keys to merge.
  ///   - key: The dotted key of the string or the array.
  ///   - separator: What is between the values in a string. Without it, they are put into an array.
  ///   - defaults: For each key, the value to put into an array if it is absent. Without them, an absent key means that
  ///     no array is made.
  public static func merge(
    _ keys: String..., into key: String, separator: String? = nil, defaults: [TOMLValue] = []
  ) -> MigrationStep {
    precondition(
      defaults.isEmpty || separator == nil && defaults.count == keys.count,
      "Merge into '\(key)' needs a default for each key, or a separator.")
    return MigrationStep(
      MergeStep(keys: keys.map(path), target: path(key), separator: separator, defaults: defaults))
  }

  /// Splits a key into several, and removes it.
  ///
  /// A string is split at a separator, and the last part gets the rest: `name` becomes `first` and `last`. An array
  /// gives one element to each key. Missing parts are left out. A target that already exists keeps its value. A target
  /// may be below the key, or be the table around it if that contains nothing else. If the key is a target itself, and
  /// another target exists, it has been split already and stays.
  ///
  /// ```swift
  /// .split("name", into: ["first", "last"], separator: " ")
  /// ```
  ///
  /// An array with more elements than targets makes the migration fail. Without a `separator`, a string stays as it is.
  public static func split(_ key: String, into targets: [String], separator: String? = nil) -> MigrationStep {
    precondition(separator != "", "Split of '\(key)' needs a separator that is not empty.")
    return MigrationStep(SplitStep(key: path(key), targets: targets.map(path), separator: separator))
  }

  /// Replaces a string that contains JSON with the native value: `"[\"a\"]"` becomes `["a"]`.
  ///
  /// Objects become tables, `null` members are left out, and a `null` alone removes the key. A value that is not a
  /// string is already native and stays. So the step may run twice, or after someone has corrected half the keys by
  /// hand. A string that is not JSON makes the migration fail unless you pass `keepingOthers: true`.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - deep: Whether to decode strings within the value too, at any depth, if they contain an array or an object.
  ///   - keepingOthers: Whether to keep a string that is not JSON, because someone has already corrected it by hand.
  public static func decodeJSONString(
    _ key: String, deep: Bool = false, keepingOthers: Bool = false
  ) -> MigrationStep {
    MigrationStep(DecodeJSONStringStep(key: path(key), isDeep: deep, keepsOthers: keepingOthers))
  }

  /// Replaces an array, a table, a number or a boolean with a string of JSON: `["a"]` becomes `"[\"a\"]"`.
  ///
  /// A string stays: it is assumed to contain JSON already. Dates become strings.
  ///
  /// An infinity or a not-a-number makes the migration fail, since JSON has no form for them.
  public static func encodeJSONString(_ key: String) -> MigrationStep {
    MigrationStep(EncodeJSONStringStep(key: path(key)))
  }

  /// Converts a key's value to its present form.
  ///
  /// The step knows the key's type as it is in this release. Use it only if no later release will change the type
  /// again. Otherwise use ``decodeJSONString(_:deep:keepingOthers:)`` or ``code(_:)``.
  ///
  /// - Parameters:
  ///   - key: The key, as this release declares it.
  ///   - form: The form of its value in older files.
  public static func migrate<Value>(_ key: SettingsKey<Value>, from form: SettingsOldForm<Value>) -> MigrationStep {
    .code { _ = try form.migrate(key, in: &$0) }
  }
}

// MARK: Control

extension MigrationStep {
  /// Runs steps in each record of a key: in each table of a table of tables, or in each table of an array.
  ///
  /// The keys of the steps are relative to the record: `.forEach("servers", [.rename("hostname", to: "host")])`.
  /// Members that are not tables are skipped.
  ///
  /// - Parameters:
  ///   - key: The key of the records.
  ///   - steps: The steps, in the order in which they run in each record.
  public static func forEach(_ key: String, _ steps: [MigrationStep]) -> MigrationStep {
    MigrationStep(ForEachStep(key: path(key), steps: steps))
  }

  /// Runs steps if a condition holds, and other steps if it does not:
  /// `.when(.equals("mode", "expert"), [.setDefault("sidebar.visible", true)])`.
  ///
  /// - Parameters:
  ///   - condition: The condition, which is checked once, before any step runs.
  ///   - steps: The steps to run if it holds.
  ///   - others: The steps to run if it does not.
  public static func when(
    _ condition: MigrationCondition, _ steps: [MigrationStep], otherwise others: [MigrationStep] = []
  ) -> MigrationStep {
    MigrationStep(WhenStep(condition: condition, steps: steps, others: others))
  }

  /// Runs code on the document. If it throws, the whole migration fails and nothing is written.
  ///
  /// The code sees the document's values, never the app's types, so that it keeps its meaning in later releases. In
  /// ``forEach(_:_:)`` it sees a document with the values of one record. It must not use the store that it migrates,
  /// which traps: the store is read when the migration has ended.
  ///
  /// A schema file cannot contain code, so `settings-cli migrate` cannot run it: the app must be started once.
  ///
  /// ```swift
  /// .code { document in
  ///   guard case .integer(let seconds)? = document[["delay"]] else { return }
  ///   try document.set(.integer(seconds * 1000), at: ["delay-ms"])
  /// }
  /// ```
  public static func code(_ body: @escaping @Sendable (inout TOMLDocument) throws -> Void) -> MigrationStep {
    MigrationStep(CodeStep(body: body))
  }
}

private struct CodeStep: StepContent {
  let body: @Sendable (inout TOMLDocument) throws -> Void

  func run(in scope: inout MigrationScope) throws { try scope.run(body) }
}
