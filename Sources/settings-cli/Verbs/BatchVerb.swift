import AppSettings
import AppSettingsImport
import AppSettingsSchema
import ArgumentParser

struct BatchVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Make many edits from standard input in one write.",
    discussion: """
      Standard input has one JSON object a line:

        {"set": "editor.font-size", "value": 14}
        {"set": "start", "toml": "2026-11-22"}
        {"set": ["servers", "eu.west", "url"], "value": "https://example.org"}
        {"unset": "theme"}
        {"append": "recent", "value": "/tmp/a"}
        {"remove": "recent", "value": "/tmp/b"}
        {"get": "editor.font-size"}

      A key is a dotted key, or an array of its parts. A value has the type that it has in JSON; a string becomes a \
      date if the schema or the present value says so. "toml" is a value in TOML. Each edit sees the ones before it.

      Prints one JSON object for each: line, ok, key, changed, and for 'get' the value that the app reads, with the \
      problem of one that it cannot use; or status and message if it is \
      refused. If one is refused, none is written, unless you use --keep-going. The exit status is that of the first \
      one refused.

      EXAMPLES
        settings-cli batch ./settings.toml < edits.jsonl
        settings-cli batch org.example.editor --dry-run < edits.jsonl
        settings-cli batch ./settings.toml --if-unchanged "$digest" < edits.jsonl
      """)

  @OptionGroup var target: TargetArgument
  @Flag(help: "Write the other edits if some are refused.") var keepGoing = false
  @Flag(help: "Also set keys that the app's schema does not list.") var create = false
  @OptionGroup var pruning: PruneOption
  @OptionGroup var change: ChangeOptions
  @OptionGroup var common: CommonOptions

  private static let mostInput = 16 << 20

  func answer() throws {
    let target = try Target(target)
    let guarded = try change.guarded()
    let input = try StandardInput.all(upTo: Self.mostInput + 1)
    guard input.count <= Self.mostInput else {
      throw Failure(
        .usage, "The batch has more than 16 MiB, which is the limit. Nothing was written. Make several of it.")
    }
    let store = try target.open(
      mayBeUnknown: create, mayBeNew: true, isForWriting: true, writesLater: !guarded.isPlain)
    let batch = Batch(input, store: store, schema: target.schema, creates: create, keepsGoing: keepGoing)
    do {
      _ = try guarded.make(in: store, target.schema) { pruning.applied(to: try batch.edits($0), of: target) }
      if !guarded.isDryRun { Output.noteStored() }
    } catch is Batch.Refused {
      batch.noteUnwritten()
    }
    if !guarded.isDryRun { try batch.checkEffects(target) }
    for answer in batch.answers {
      if !guarded.isDryRun {
        Output.line(answer.json)
      } else if let message = answer.failure?.message {
        Output.error("Line \(answer.line): \(message)")
      }
    }
    if let failure = batch.answers.lazy.compactMap(\.failure).first { throw Failure(failure.status) }
  }
}

/// A batch of edits.
private final class Batch {
  /// At least one edit was refused, so none is to be written.
  struct Refused: Error {}

  private let store: SettingsStore
  private let schema: SchemaLookup
  private let creates: Bool
  private let keepsGoing: Bool
  private let lines: [(number: Int, edit: Result<BatchEdit, Failure>)]
  private(set) var answers: [BatchAnswer] = []
  /// The values that were set, with the numbers of their answers.
  private var stored: [(path: TOMLPath, value: TOMLValue?, answer: Int)] = []
  /// Where the last edit of each path is in them, and the paths that are above one.
  private var places: [TOMLPath: Int] = [:]
  private var inner: Set<TOMLPath> = []
  /// The values that were given as TOML, for the notation of their numbers.
  private var texts: [TOMLPath: String] = [:]

  init(_ input: [UInt8], store: SettingsStore, schema: SchemaLookup, creates: Bool, keepsGoing: Bool) {
    (self.store, self.schema, self.creates, self.keepsGoing) = (store, schema, creates, keepsGoing)
    let newline = UInt8(ascii: "\n")
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    lines = input.split(separator: newline, omittingEmptySubsequences: false).enumerated().compactMap { index, line in
      guard !line.allSatisfy(isBlank) else { return nil }
      return (index + 1, Result { try BatchEdit(line) }.mapError { $0 as? Failure ?? Failure(.usage, "\($0)") })
    }
  }

  /// Finds the edits, from the present values.
  ///
  /// - Throws: ``Refused``.
  func edits(_ view: SettingsSnapshot) throws -> [Edit] {
    // From the beginning if another program has saved the file meanwhile.
    answers = []
    (stored, places, inner, texts) = ([], [:], [], [:])
    var state = State(view: view)
    for (number, edit) in lines {
      var answer = BatchAnswer(line: number)
      do {
        let edit = try edit.get()
        answer.key = edit.key
        try make(edit, in: &state, &answer)
      } catch let failure as Failure {
        answer.failure = failure
      } catch let error as SettingsError {
        answer.failure = Failure(error)
      }
      answers.append(answer)
    }
    if !keepsGoing, answers.contains(where: { $0.failure != nil }) { throw Refused() }
    return schema.edits(storing: stored.map { ($0.path, $0.value) }, texts: texts, in: view)
  }

  /// The values with the edits made so far.
  private struct State {
    var view: SettingsSnapshot
    var number: UInt64 = 0
    /// The keys whose former names have been dealt with.
    var settled: Set<TOMLPath> = []

    /// The value in the file itself.
    func own(_ path: TOMLPath) -> TOMLValue? {
      let found = view.pending.lookUp(path) {
        view.userDocument[path].map { .value($0) } ?? .absent
      }
      if case .value(let value) = found { return value }
      return nil
    }
  }

  private func make(_ edit: BatchEdit, in state: inout State, _ answer: inout BatchAnswer) throws {
    let path = edit.key
    if edit.action == .get {
      answer.problem = schema.unusable(at: path, in: state.view).first?.message
      guard let value = schema.usedValue(of: path, in: state.view),
        let shown = schema.withoutSecrets(value, at: path).value
      else {
        try schema.checkKnown(path)
        throw Failure(.noValue, "'\(path)' has no value.")
      }
      answer.found = Shown.json(shown)
      return
    }
    let isUnset = edit.action == .unset
    var before: TOMLValue?
    for name in schema.names(of: path) where before == nil { before = state.own(name) }
    if !creates, !isUnset || before == nil {
      try schema.checkKnown(path, advice: isUnset ? nil : "To set it, use --create.")
    }
    if isUnset {
      if before == nil, let error = schema.removalError(of: path, in: state.view) { throw error }
    } else if let error = schema.lockError(of: path, in: state.view) {
      throw error
    }
    let value = isUnset ? nil : try newValue(edit, in: state.view)
    // The locks are checked for each edit by itself, so that its own answer says so.
    let edits = try state.view.permitted(schema.edits(storing: [(path, value)], in: state.view))
    answer.isChange = before != value
    let isFirst = schema.key(around: path).map { state.settled.insert($0.path).inserted } ?? true
    for edit in isFirst ? edits[...] : edits.suffix(1) {
      state.number += 1
      state.view.pending.add(edit, number: state.number)
    }
    if edit.action == .set { texts[path] = edit.text }
    keep(value, at: path)
  }

  /// Adds an edit to those that are made in the file. A path that was edited before has one edit, unless there are edits
  /// above or below it: together, many edits of different paths take one pass over the file.
  private func keep(_ value: TOMLValue?, at path: TOMLPath) {
    let above = (1..<path.components.count).map { TOMLPath(Array(path.components.prefix($0))) }
    if let index = places[path], !inner.contains(path), !above.contains(where: { places[$0] != nil }) {
      stored[index] = (path, value, answers.count)
      return
    }
    places[path] = stored.count
    inner.formUnion(above)
    stored.append((path, value, answers.count))
  }

  private func newValue(_ edit: BatchEdit, in view: SettingsSnapshot) throws -> TOMLValue {
    let path = edit.key
    let current = schema.effectiveValue(of: path, in: view)
    var value: TOMLValue
    if edit.action == .set {
      value = converted(edit, to: schema.type(of: path), like: current)
    } else {
      let elements = try SetVerb.array(current, path)
      let element = converted(edit, to: schema.type(of: path)?.element, like: elements.first)
      value = .array(edit.action == .append ? elements + [element] : elements.filter { $0 != element })
    }
    try schema.check(value, at: path)
    return try schema.withoutLocked(value, at: path, in: view)
  }

  /// A value of JSON, which has no dates, and one type of numbers.
  private func converted(_ edit: BatchEdit, to type: SchemaType?, like current: TOMLValue?) -> TOMLValue {
    if edit.text != nil { return edit.value }
    if let type { return type.restoring(edit.value, from: .typed) }
    switch (edit.value, current) {
    case (.integer(let number), .float?): return .float(Double(number))
    case (.string(let text), .offsetDateTime?), (.string(let text), .localDateTime?), (.string(let text), .localDate?),
      (.string(let text), .localTime?):
      guard let date = try? TOMLValue(parsing: text), date.kindName == current?.kindName else { return edit.value }
      return date
    default: return edit.value
    }
  }

  // MARK: The answers

  /// Says of the edits that were not refused that they were not written either.
  func noteUnwritten() {
    guard let refused = answers.first(where: { $0.failure != nil }) else { return }
    for index in answers.indices where answers[index].failure == nil && answers[index].found == nil {
      answers[index].note = "Not written, because line \(refused.line) is refused."
    }
  }

  /// Notes which of the stored values a higher layer hides, and warns of what values lack.
  func checkEffects(_ target: Target) throws {
    guard !stored.isEmpty, !answers.contains(where: { $0.note != nil }) else { return }
    let snapshot = try target.effective(store)
    var later = PathSet()
    for (path, value, answer) in stored.reversed() {
      // What a later edit has changed is its own.
      if !later.touches(path), let value {
        do {
          try SetVerb.checkEffective(path, value, in: snapshot, of: store, schema)
        } catch {
          answers[answer].failure = error as? Failure
        }
      }
      later.insert(path)
    }
    target.warnOfExposure(of: stored.filter { $0.value != nil }.map(\.path))
    schema.warnOfLacks(around: stored.map(\.path), in: store.snapshot)
  }
}
