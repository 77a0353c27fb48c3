package import AppSettings
import AppSettingsImport
import AppSettingsSchema

/// Changes that are made in one write, all or none, each from the values that those before it leave.
package final class ChangeList {
  /// At least one change was refused, so none is to be written.
  package struct Refused: Error {}

  private struct Step {
    /// The number of the change, or of the line of a batch.
    let number: Int
    let line: BatchLine
  }

  private let opened: OpenedSettings
  private let schema: SchemaLookup
  private let creates: Bool
  private let keepsGoing: Bool
  private let keepsTables: Bool
  private let steps: [Step]
  package private(set) var answers: [ChangeAnswer] = []
  /// The values that were set, with the numbers of their answers.
  private var stored: [(path: TOMLPath, value: TOMLValue?, answer: Int)] = []
  /// Where the last edit of each path is in them, and the paths that are above one.
  private var places: [TOMLPath: Int] = [:]
  private var inner: Set<TOMLPath> = []
  /// The notations of values that were given with one.
  private var texts: [TOMLPath: String] = [:]

  private init(_ steps: [Step], of opened: OpenedSettings, creates: Bool, keepsGoing: Bool, keepsTables: Bool) {
    (self.steps, self.opened, schema) = (steps, opened, opened.schema)
    (self.creates, self.keepsGoing, self.keepsTables) = (creates, keepsGoing, keepsTables)
  }

  /// - Parameters:
  ///   - creates: Whether keys that the schema does not list are set, too.
  ///   - keepsTables: Whether tables stay that the changes leave empty.
  package convenience init(
    _ changes: [SettingChange], of opened: OpenedSettings, creates: Bool = false, keepsTables: Bool = false
  ) {
    var steps: [Step] = []
    for change in changes { steps.append(Step(number: steps.count + 1, line: .change(change))) }
    self.init(steps, of: opened, creates: creates, keepsGoing: false, keepsTables: keepsTables)
  }

  /// - Parameters:
  ///   - text: The lines of a batch.
  ///   - keepsGoing: Whether changes are written although others are refused.
  package convenience init(
    batch text: [UInt8], of opened: OpenedSettings, creates: Bool, keepsGoing: Bool, keepsTables: Bool
  ) {
    let newline = UInt8(ascii: "\n")
    let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
    let steps = text.split(separator: newline, omittingEmptySubsequences: false).enumerated()
      .compactMap { index, line -> Step? in
        guard !line.allSatisfy(isBlank) else { return nil }
        return Step(number: index + 1, line: BatchLine(of: line))
      }
    self.init(steps, of: opened, creates: creates, keepsGoing: keepsGoing, keepsTables: keepsTables)
  }

  // MARK: Making them

  /// Makes the changes in one write, or only shows what they would change. The answers say what has become of each.
  ///
  /// - Throws: ``Refused`` if none was made because one is refused; ``ToolError``, ``SettingsError`` if the write failed.
  package func make(_ guarded: GuardedChange = GuardedChange()) throws -> ChangeOutcome {
    let outcome: ChangeOutcome
    do {
      outcome = try opened.make(guarded, edits)
    } catch let refused as Refused {
      noteUnwritten()
      throw refused
    }
    if !guarded.isDryRun { try checkEffects() }
    return outcome
  }

  /// The first refusal, or value without effect.
  package var failure: ToolError? {
    for answer in answers { if let failure = answer.failure { return failure } }
    return nil
  }

  /// Finds the edits, from the present values.
  package func edits(_ view: SettingsSnapshot) throws -> [Edit] {
    // From the beginning if another program has saved the file meanwhile.
    answers = []
    (stored, places, inner, texts) = ([], [:], [], [:])
    var state = State(view: view)
    for step in steps {
      var answer = ChangeAnswer(line: step.number)
      do {
        switch step.line {
        case .malformed(let failure): throw failure
        case .get(let path):
          answer.path = path
          try find(path, in: state.view, &answer)
        case .change(let change):
          answer.path = change.path
          try make(change, in: &state, &answer)
        }
      } catch let failure as ToolError {
        answer.failure = failure
      } catch let error as SettingsError {
        answer.failure = ToolError(error)
      }
      answers.append(answer)
    }
    if !keepsGoing, failure != nil { throw Refused() }
    return schema.edits(storing: stored.map { ($0.path, $0.value) }, texts: texts, in: view).keepingTables(keepsTables)
  }

  /// The value of a key that the changes would store now.
  ///
  /// - Throws: ``ToolError`` if one of them is refused.
  package func value(of path: TOMLPath) throws -> TOMLValue? {
    do {
      _ = try edits(opened.snapshot)
    } catch let refused as Refused {
      throw failure ?? refused
    }
    return stored.last { $0.path == path }?.value
  }

  /// The values with the changes made so far.
  private struct State {
    var view: SettingsSnapshot
    var number: UInt64 = 0
    /// The keys whose former names have been dealt with.
    var settled: Set<TOMLPath> = []
    /// The notations of the elements of arrays that were changed.
    var elements: [TOMLPath: [String?]] = [:]

    /// The value in the file itself.
    func own(_ path: TOMLPath) -> TOMLValue? {
      let found = view.pending.lookUp(path) {
        view.userDocument[path].map { .value($0) } ?? .absent
      }
      if case .value(let value) = found { return value }
      return nil
    }
  }

  private func find(_ path: TOMLPath, in view: SettingsSnapshot, _ answer: inout ChangeAnswer) throws {
    answer.problem = schema.unusable(at: path, in: view).first?.message
    guard let value = schema.usedValue(of: path, in: view), let shown = schema.withoutSecrets(value, at: path).value
    else {
      try schema.checkKnown(path)
      throw ToolError(.noValue, "'\(path)' has no value.")
    }
    answer.found = shown
  }

  private func make(_ change: SettingChange, in state: inout State, _ answer: inout ChangeAnswer) throws {
    let path = change.path
    let isUnset = change.action == .unset
    var before: TOMLValue?
    for name in schema.names(of: path) where before == nil { before = state.own(name) }
    if !creates, !isUnset || before == nil {
      try schema.checkKnown(path, advice: isUnset ? nil : Self.advice)
    }
    if isUnset {
      if before == nil, let error = schema.removalError(of: path, in: state.view) { throw error }
    } else if let error = schema.lockError(of: path, in: state.view) {
      throw error
    }
    var value: TOMLValue?
    if !isUnset {
      value = try newValue(change, in: &state)
      // Nothing to remove.
      guard value != nil else {
        answer.isChange = false
        return
      }
    }
    // The locks are checked for each change by itself, so that its own answer says so.
    let edits = try state.view.permitted(schema.edits(storing: [(path, value)], in: state.view))
    answer.isChange = before != value
    if steps.count > 1 {
      let isFirst = schema.key(around: path).map { state.settled.insert($0.path).inserted } ?? true
      for edit in isFirst ? edits[...] : edits.suffix(1) {
        state.number += 1
        state.view.pending.add(edit, number: state.number)
      }
    }
    keep(value, at: path)
  }

  private static let advice = "To set it anyway, use --create."

  /// Adds an edit to those that are made in the file. A path that was edited before has one edit, unless there are edits
  /// above or below it: together, many edits of different paths take one pass over the file.
  private func keep(_ value: TOMLValue?, at path: TOMLPath) {
    if steps.count == 1 { return stored.append((path, value, answers.count)) }
    let above = (1..<path.components.count).map { TOMLPath(Array(path.components.prefix($0))) }
    if let index = places[path], !inner.contains(path), !above.contains(where: { places[$0] != nil }) {
      stored[index] = (path, value, answers.count)
      return
    }
    places[path] = stored.count
    inner.formUnion(above)
    stored.append((path, value, answers.count))
  }

  // MARK: Values

  /// - Returns: `nil` if the array has no element to remove.
  private func newValue(_ change: SettingChange, in state: inout State) throws -> TOMLValue? {
    let path = change.path
    let current = schema.effectiveValue(of: path, in: state.view)
    guard change.action == .set else { return try newArray(change, from: current, in: &state) }
    state.elements[path] = nil
    var value: TOMLValue
    switch change.value {
    case .none: preconditionFailure("A value is set.")
    case .typed(let text, let kind):
      // A table of keys is typed as it is in the files, without defaults.
      let stored = schema.renamedKey(around: path) == nil ? state.view[path] : current
      if kind == nil, let typed = try schema.value(text, at: path, current: stored) {
        value = typed
      } else {
        value = try ValueText.value(
          text, kind: kind, current: stored, key: path, isSecret: schema.isSecret(path, .string(text)))
        try schema.check(value, at: path)
      }
      value = try schema.withoutLocked(value, at: path, in: state.view)
      if !creates { try schema.checkKnown(in: value, at: path, advice: Self.advice) }
      texts[path] = text
      return value
    case .json(let given): value = converted(given, to: schema.type(of: path), like: current)
    case .toml(let given, let text): (value, texts[path]) = (given, text)
    }
    try schema.check(value, at: path)
    return try schema.withoutLocked(value, at: path, in: state.view)
  }

  private func newArray(
    _ change: SettingChange, from current: TOMLValue?, in state: inout State
  ) throws -> TOMLValue? {
    let path = change.path
    let elements = try Self.array(current, path)
    let element: TOMLValue
    var notation: String?
    switch change.value {
    case .none: preconditionFailure("An element is added or removed.")
    case .typed(let text, let kind):
      element = try schema.element(text, of: path, kind: kind, sibling: elements.first)
      notation = text
    case .json(let given): element = converted(given, to: schema.type(of: path)?.element, like: elements.first)
    case .toml(let given, let text): (element, notation) = (given, text)
    }
    // The other elements stay as they are written.
    let view = state.view
    let written =
      state.elements[path]
      ?? schema.names(of: path).compactMap { view.userDocument.elementTexts(at: $0) }.first?.map(\.self)
    let notations = written?.count == elements.count ? written : nil
    var result = elements.indices.map { (value: elements[$0], text: notations?[$0]) }
    if change.action == .append {
      result.append((element, notation))
    } else {
      guard elements.contains(element) else { return nil }
      result.removeAll { $0.value == element }
    }
    let value = TOMLValue.array(result.map(\.value))
    try schema.check(value, at: path)
    let texts = result.map { element in
      element.text.flatMap { (try? TOMLValue(parsing: $0)) == element.value ? $0 : nil } ?? element.value.tomlText
    }
    state.elements[path] = texts
    self.texts[path] = "[\(texts.joined(separator: ", "))]"
    return try schema.withoutLocked(value, at: path, in: state.view)
  }

  private static func array(_ value: TOMLValue?, _ path: TOMLPath) throws -> [TOMLValue] {
    switch value {
    case nil: return []
    case .array(let elements)?: return elements
    case let other?:
      throw ToolError(
        .invalidValue,
        "Cannot change the elements of '\(path)': it has \(other.kindName), not an array. Nothing was "
          + "written.")
    }
  }

  /// A value of JSON, which has no dates, and one type of numbers.
  private func converted(_ value: TOMLValue, to type: SchemaType?, like current: TOMLValue?) -> TOMLValue {
    if let type { return type.restoring(value, from: .typed) }
    switch (value, current) {
    case (.integer(let number), .float?): return .float(Double(number))
    case (.string(let text), .offsetDateTime?), (.string(let text), .localDateTime?), (.string(let text), .localDate?),
      (.string(let text), .localTime?):
      guard let date = try? TOMLValue(parsing: text), date.kindName == current?.kindName else { return value }
      return date
    default: return value
    }
  }

  // MARK: The answers

  /// Says of the changes that were not refused that they were not written either.
  private func noteUnwritten() {
    guard let refused = answers.first(where: { $0.failure != nil }) else { return }
    for index in answers.indices where answers[index].failure == nil && answers[index].found == nil {
      answers[index].note = "Not written, because line \(refused.line) is refused."
    }
  }

  /// Notes which of the stored values a higher layer hides, and warns of what values lack.
  package func checkEffects() throws {
    guard !stored.isEmpty else { return }
    let snapshot = try opened.effective
    var later = PathSet()
    var (set, all): ([TOMLPath], [TOMLPath]) = ([], [])
    for (path, value, answer) in stored.reversed() {
      // What a later change has changed is its own.
      if let value, all.isEmpty || !later.touches(path) {
        do throws(ToolError) {
          try opened.checkEffective(path, value, in: snapshot)
        } catch {
          answers[answer].failure = error
        }
      }
      if stored.count > 1 { later.insert(path) }
      if value != nil { set.append(path) }
      all.append(path)
    }
    set.reverse()
    all.reverse()
    opened.warnOfExposure(of: set)
    opened.warnOfLacks(around: all)
  }
}
