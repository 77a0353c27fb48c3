package import AppSettings
import AppSettingsSchema

/// Changes that are made in one write, all or none, each from the values that those before it leave.
package final class ChangeList {
  /// At least one change was refused, so none is to be written.
  package struct Refused: Error {}

  private let opened: OpenedSettings
  private let schema: SchemaLookup
  private let creates: Bool
  private let keepsGoing: Bool
  /// Whether each change has its own answer: in a batch, and where there are several.
  private let answersEach: Bool
  private let keepsTables: Bool
  private let needsChange: Bool
  private let advice: String?
  /// Each with the number of the change, or of the line of a batch.
  private let steps: [(number: Int, line: BatchLine)]
  package private(set) var answers: [ChangeAnswer] = []
  /// The values that were set, with the numbers of their answers.
  private var stored: [(path: TOMLPath, value: TOMLValue?, answer: Int)] = []
  /// Where the last edit of each path is in them, and the paths that are above one.
  private var places: [TOMLPath: Int] = [:]
  private var inner: Set<TOMLPath> = []
  /// The changes that are refused for what all make together, by the present names of their paths.
  private var refused: [Place: ToolError] = [:]
  /// The notations of values that were given with one, and of the elements of arrays.
  private var texts: [TOMLPath: String] = [:]
  private var elements: [TOMLPath: [String]] = [:]

  private init(
    _ steps: [(Int, BatchLine)], of opened: OpenedSettings, creates: Bool, keepsGoing: Bool, keepsTables: Bool,
    needsChange: Bool = false, advice: String? = ChangeList.advice, isBatch: Bool = false
  ) {
    (self.steps, self.opened, schema) = (steps, opened, opened.schema)
    answersEach = isBatch || steps.count > 1
    (self.creates, self.keepsGoing, self.keepsTables) = (creates, keepsGoing, keepsTables)
    (self.needsChange, self.advice) = (needsChange, advice)
  }

  /// What else can be done with an unknown key.
  package static let advice = "To set it anyway, use --create."

  /// - Parameters:
  ///   - creates: Whether keys that the schema does not list are set, too.
  ///   - keepsTables: Whether tables stay that the changes leave empty.
  ///   - needsChange: Whether nothing is written if no value changes.
  ///   - advice: What else can be done with an unknown key, as a sentence.
  package convenience init(
    _ changes: [SettingChange], of opened: OpenedSettings, creates: Bool = false, keepsTables: Bool = false,
    needsChange: Bool = false, advice: String? = ChangeList.advice
  ) {
    self.init(
      changes.enumerated().map { ($0 + 1, .change($1)) }, of: opened, creates: creates, keepsGoing: false,
      keepsTables: keepsTables, needsChange: needsChange, advice: advice)
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
      .compactMap { index, line in line.allSatisfy(isBlank) ? nil : (index + 1, BatchLine(of: line)) }
    self.init(
      steps, of: opened, creates: creates, keepsGoing: keepsGoing, keepsTables: keepsTables, isBatch: true)
  }

  // MARK: Making them

  /// Makes the changes in one write, or only shows what they would change. The answers say what has become of each.
  ///
  /// - Throws: ``Refused`` if none was made because one is refused; ``ToolError`` with status 1 if none changes a value, and
  ///   one has to; ``ToolError``, ``SettingsError`` if the write failed.
  package func make(_ guarded: GuardedChange = GuardedChange()) throws -> ChangeOutcome {
    // What could not be found after the write is missed before it.
    if !guarded.isDryRun { try opened.checkPlaces() }
    let outcome: ChangeOutcome
    do {
      outcome = try opened.make(guarded, edits)
    } catch let refused as Refused {
      answers.noteUnwritten()
      throw refused
    }
    if !guarded.isDryRun { try checkEffects() }
    return outcome
  }

  /// Runs what makes changes, and throws the first refusal for ``Refused``.
  package func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let refused as Refused {
      throw failure ?? refused
    }
  }

  /// The first refusal, or value without effect.
  package var failure: ToolError? { answers.refused?.failure }

  /// Finds the edits, from the present values.
  package func edits(_ view: SettingsSnapshot) throws -> [Edit] {
    // From the beginning if another program has saved the file meanwhile.
    refused = [:]
    try makeAll(in: view)
    // All together can make what the app does not accept. The others are made without that.
    while true {
      let refusals = schema.refusals(of: stored.map { ($0.path, $0.value) }, in: view)
      guard !refusals.isEmpty else { break }
      for refusal in refusals {
        // Where nothing is written, the first change that adds an entry stands for the others of it.
        for path in keepsGoing ? refusal.paths[...] : refusal.paths.prefix(1) {
          refused[Place(path: path, isRemoval: refusal.isRemoval)] = refusal.error(of: path)
        }
      }
      try makeAll(in: view)
      if !keepsGoing { break }
    }
    if !keepsGoing, failure != nil { throw Refused() }
    if needsChange, !answers.contains(where: { $0.isChange == true }) { throw ToolError(.noValue) }
    for (path, elements) in elements { texts[path] = "[\(elements.joined(separator: ", "))]" }
    return schema.edits(storing: stored.map { ($0.path, $0.value) }, texts: texts, in: view).keepingTables(keepsTables)
  }

  /// Makes all changes, each from the values that those before it leave.
  private func makeAll(in view: SettingsSnapshot) throws {
    answers = []
    (stored, places, inner, texts, elements) = ([], [:], [], [:], [:])
    var state = State(view: view)
    for (index, step) in steps.enumerated() {
      var answer = ChangeAnswer(line: step.number)
      do {
        switch step.line {
        case .malformed(let failure): throw failure
        case .get(let path):
          answer.path = path
          try find(path, in: state.view, &answer)
        case .change(let change):
          answer.path = change.path
          try make(change, in: &state, isFollowed: isFollowed(index), &answer)
        }
      } catch let failure as ToolError {
        answer.failure = failure
      } catch let error as SettingsError {
        answer.failure = ToolError(error)
      }
      answers.append(answer)
    }
  }

  /// Whether a step changes an array's elements as they were typed, and so does the next one: what the app accepts is the
  /// array after the last.
  private func isFollowed(_ index: Int) -> Bool {
    guard index + 1 < steps.count, case .change(let change) = steps[index].line, change.isTypedElement,
      case .change(let next) = steps[index + 1].line, next.isTypedElement
    else { return false }
    return next.path == change.path
  }

  /// The value of a key that the changes would store now.
  ///
  /// - Throws: ``ToolError`` if one of them is refused.
  package func value(of path: TOMLPath) throws -> TOMLValue? {
    _ = try explaining { try edits(opened.snapshot) }
    return stored.last { $0.path == schema.names(of: path)[0] }?.value
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

  private func make(
    _ change: SettingChange, in state: inout State, isFollowed: Bool, _ answer: inout ChangeAnswer
  ) throws {
    let path = change.path
    let names = schema.names(of: path)
    let isUnset = change.action == .unset
    if let failure = refused[Place(path: names[0], isRemoval: isUnset)] { throw failure }
    var before: TOMLValue?
    for name in names where before == nil { before = state.own(name) }
    if !creates, !isUnset || before == nil {
      try schema.checkKnown(path, advice: isUnset ? nil : advice)
    }
    if isUnset {
      if before == nil, let error = schema.lockError(of: path, in: state.view, isRemoval: true) { throw error }
    } else if let error = schema.lockError(of: path, in: state.view) {
      throw error
    }
    var (value, notation): (TOMLValue?, Notation) = (nil, .ours)
    if !isUnset {
      guard let new = try newValue(change, in: &state, isFollowed: isFollowed) else {
        // Nothing to remove.
        answer.isChange = false
        return
      }
      (value, notation) = new
    }
    if answersEach, value != nil { try checkNoValue(above: names[0], in: state) }
    // The locks are checked for each change by itself, so that its own answer says so.
    let edits = try state.view.permitted(schema.edits(storing: [(path, value)], in: state.view))
    answer.isChange = isUnset ? edits.contains { state.own($0.path) != nil } : before != value
    // What removes nothing leaves what is in the way of the path.
    if steps.count > 1, !isUnset || answer.isChange == true {
      let isFirst = schema.key(around: path).map { state.settled.insert($0.path).inserted } ?? true
      state.settled.formUnion(schema.renamedKeys(below: path).map(\.path))
      for edit in isFirst ? edits[...] : edits.suffix(1) {
        state.number += 1
        state.view.pending.add(edit, number: state.number)
      }
    }
    keep(value, notation, at: names[0])
  }

  /// Throws if a value is in the place of a table that a path needs: the write would fail, and not say for which change.
  private func checkNoValue(above path: TOMLPath, in state: State) throws {
    let own = state.view.layers[state.view.userIndex]
    guard case .hidden = state.view.pending.lookUp(path, base: { own.lookUp(path) }) else { return }
    for count in 1..<max(1, path.components.count) {
      let above = path.prefix(count)
      guard let value = state.own(above), value.table == nil else { continue }
      throw ToolError(
        .unknown, "Cannot set '\(path)': '\(above)' is \(value.kindName), and cannot have keys. Nothing was written.")
    }
  }

  /// Adds an edit, at the present name of its key, to those that are made in the file. A path that was edited before has
  /// one edit, unless there are edits above or below it: together, many edits of different paths take one pass over the
  /// file.
  private func keep(_ value: TOMLValue?, _ notation: Notation, at path: TOMLPath) {
    switch notation {
    case .ours: (texts[path], elements[path]) = (nil, nil)
    case .text(let text): (texts[path], elements[path]) = (text, nil)
    case .elements(let all): (texts[path], elements[path]) = (nil, all)
    case .anotherElement(let text): elements[path, default: []].append(text)
    }
    if steps.count == 1 { return stored.append((path, value, answers.count)) }
    let above = (1..<path.components.count).map { path.prefix($0) }
    if let index = places[path], !inner.contains(path), !above.contains(where: { places[$0] != nil }) {
      stored[index] = (path, value, answers.count)
      return
    }
    places[path] = stored.count
    inner.formUnion(above)
    stored.append((path, value, answers.count))
  }

  // MARK: Values

  /// How a new value is written.
  private enum Notation {
    case ours
    case text(String)
    case elements([String])
    /// One more element behind those that are known: adding it to them in place copies none.
    case anotherElement(String)
  }

  /// - Returns: `nil` if the array has no element to remove.
  private func newValue(
    _ change: SettingChange, in state: inout State, isFollowed: Bool
  ) throws -> (TOMLValue, Notation)? {
    let path = change.path
    let current = schema.effectiveValue(of: path, in: state.view)
    guard change.action == .set else {
      return try newArray(change, from: current, in: &state, isFollowed: isFollowed)
    }
    var value: TOMLValue
    var notation = Notation.ours
    switch change.value {
    case .none: preconditionFailure("A value is set.")
    case .typed(let text, let kind):
      // A table of keys is typed as it is in the files, without defaults.
      let stored = schema.renamedKey(around: path) == nil ? state.view[path] : current
      value = try schema.value(text, at: path, kind: kind, current: stored)
      notation = .text(text)
    case .json(let given): value = given.fromJSON(to: schema.type(of: path), like: current)
    case .toml(let given, let text): (value, notation) = (given, .text(text))
    }
    try schema.check(value, at: path)
    value = try schema.withoutLocked(value, at: path, in: state.view)
    if !creates { try schema.checkKnown(in: value, at: path, advice: advice) }
    return (value, notation)
  }

  private func newArray(
    _ change: SettingChange, from current: TOMLValue?, in state: inout State, isFollowed: Bool
  ) throws -> (TOMLValue, Notation)? {
    let path = change.path
    let place = schema.names(of: path)[0]
    let elements = try Self.array(current, path)
    if state.firstElements[place] == nil { state.firstElements.updateValue(elements.first, forKey: place) }
    let element: TOMLValue
    var notation: String?
    switch change.value {
    case .none: preconditionFailure("An element is added or removed.")
    case .typed(let text, let kind):
      element = try schema.element(text, of: path, kind: kind, sibling: state.firstElements[place] ?? nil)
      notation = text
    case .json(let given): element = given.fromJSON(to: schema.type(of: path)?.element, like: elements.first)
    case .toml(let given, let text): (element, notation) = (given, text)
    }
    let view = state.view
    func checked(_ result: [TOMLValue]) throws -> TOMLValue {
      let value = TOMLValue.array(result)
      if !isFollowed { try schema.check(value, at: path) }
      return try schema.withoutLocked(value, at: path, in: view)
    }
    func written() -> [String] { self.elements[place] ?? writtenElements(elements, at: path, in: view) }
    if change.action == .append {
      if !creates { try schema.checkKnown(in: element, at: elements.count, of: path, advice: advice) }
      let text = element.text(as: notation)
      let value = try checked(elements + [element])
      return (value, self.elements[place] == nil ? .elements(written() + [text]) : .anotherElement(text))
    }
    guard elements.contains(element) else {
      if !isFollowed, self.elements[place] != nil { try schema.check(.array(elements), at: path) }
      return nil
    }
    let kept = zip(elements, written()).filter { $0.0 != element }
    return (try checked(kept.map(\.0)), .elements(kept.map(\.1)))
  }

  /// The texts of an array's elements as the file has them, or else ours.
  private func writtenElements(_ elements: [TOMLValue], at path: TOMLPath, in view: SettingsSnapshot) -> [String] {
    let written = schema.names(of: path).lazy.compactMap { view.userDocument.elementTexts(at: $0) }.first
    guard let written, written.count == elements.count else { return elements.map(\.tomlText) }
    return zip(elements, written).map { $0.text(as: $1) }
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

  // MARK: The answers

  /// Notes which of the stored values a higher layer hides, and warns of what values lack.
  package func checkEffects() throws {
    guard !stored.isEmpty else { return }
    let snapshot = try opened.effective
    var later = PathTree()
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
