import AppSettings

/// Reads KDE's configuration files, as KConfig does.
struct KConfigText {
  private var result = ImportedValues()
  private var group = TOMLPath.root
  private var isFileLocked = false
  /// Keys that an earlier entry has locked: later entries do not change them.
  private var lockedKeys: Set<TOMLPath> = []

  static func read(_ text: String, _ budget: inout ImportBudget) throws(ImportFailure) -> ImportedValues {
    var reader = KConfigText()
    reader.result.isUntyped = true
    reader.result.lists = .separated(",")
    var lines = TextLines(text)
    while let line = lines.next()?.withoutBlanks {
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("[") {
        try reader.readGroup(line, number: lines.number)
      } else {
        try reader.readEntry(line, number: lines.number, &budget)
      }
    }
    // A lock of the file locks everything in it.
    if reader.isFileLocked { reader.result.locks = reader.result.values.keys.map { [$0] } }
    return reader.result
  }

  /// `[A][B]` is the group B in A. `[$i]` after it locks the group; on its own line it locks the file.
  private mutating func readGroup(_ line: String, number: Int) throws(ImportFailure) {
    var names: [String] = []
    var isLocked = false
    var rest = line[...]
    while rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else {
        throw ImportFailure(reason: "line \(number) begins a group and has no ']'")
      }
      let name = rest[rest.index(after: rest.startIndex)..<end]
      rest = rest[rest.index(after: end)...]
      if name == "$i", rest.isEmpty {
        isLocked = true
      } else {
        names.append(try Self.unescaped(name, number))
      }
    }
    guard names.count < ImportBudget.mostNested else {
      throw ImportFailure(reason: "the group in line \(number) is nested too deep")
    }
    group = TOMLPath(names)
    if isLocked, group.isRoot { isFileLocked = true }
    if isLocked, !group.isRoot { result.locks.append(group) }
  }

  private mutating func readEntry(
    _ line: String, number: Int, _ budget: inout ImportBudget
  ) throws(ImportFailure) {
    let equals = line.firstIndex(of: "=")
    var name = String(line[..<(equals ?? line.endIndex)]).withoutBlanks[...]
    // From the end: options begin with '$'; other text in brackets is a locale.
    var options = Set<Character>()
    var locale: Substring?
    while let start = name.lastIndex(of: "[") {
      guard let end = name[start...].firstIndex(of: "]") else {
        throw ImportFailure(reason: "line \(number) has a key with '[' and no ']'")
      }
      let inner = name[name.index(after: start)..<end]
      if inner.hasPrefix("$") { options.formUnion(inner.dropFirst()) } else { locale = inner }
      name = name[..<start]
    }
    guard !name.isEmpty else { throw ImportFailure(reason: "line \(number) has no key") }
    guard equals != nil || options.contains("d") else {
      throw ImportFailure(reason: "line \(number) is neither a group nor 'key=value'")
    }
    let path = group.appending(try Self.unescaped(name, number))
    let text = equals.map { String(line[line.index(after: $0)...]).withoutBlanks } ?? ""
    try budget.take(bytes: path.cost + text.utf8.count)
    if let locale { return result.skip(path, "it is a translation, for '\(locale)'") }
    guard !lockedKeys.contains(path) else { return result.skip(path, "a line above locks it with another value") }
    if options.contains("i") {
      lockedKeys.insert(path)
      result.locks.append(path)
    }
    guard !options.contains("d") else {
      if result.values[path: path] != nil { result.values.apply(Edit(path: path, value: nil)) }
      return result.skip(path, "it is marked as deleted ([$d])")
    }
    let value = try Self.unescaped(text, number)
    guard options.contains("e") else { return result.setPlain(value, at: path) }
    if value.contains("$(") { return result.skip(path, "it is what a command prints ([$e]), and commands are not run") }
    switch try Self.expanded(value, &budget) {
    case .success(let value): result.setPlain(value, at: path)
    case .failure(let missing): result.skip(path, "the variable '\(missing.name)', which it names ([$e]), is not set")
    }
  }

  // MARK: Text

  /// Resolves escapes. Each is a byte, and several may form one character.
  private static func unescaped(_ text: some StringProtocol, _ number: Int) throws(ImportFailure) -> String {
    guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text) }
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() else {
        result.append(byte)
        continue
      }
      switch escaped {
      case UInt8(ascii: "s"): result.append(UInt8(ascii: " "))
      case UInt8(ascii: "t"): result.append(9)
      case UInt8(ascii: "n"): result.append(10)
      case UInt8(ascii: "r"): result.append(13)
      case UInt8(ascii: "\\"): result.append(escaped)
      case UInt8(ascii: "x"):
        guard let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16), rest.count >= 2 else {
          throw ImportFailure(reason: "line \(number) has '\\x' without two hexadecimal digits")
        }
        rest = rest.dropFirst(2)
        result.append(code)
      // In lists, these escaped characters are not separators.
      case UInt8(ascii: ","), UInt8(ascii: ";"): result += [byte, escaped]
      default: throw ImportFailure(reason: "line \(number) has an unknown escape")
      }
    }
    guard let text = String(validating: result, as: UTF8.self) else {
      throw ImportFailure(reason: "line \(number) is not UTF-8 once its escapes are read")
    }
    return text
  }

  private struct MissingVariable: Error { var name: String }

  /// Replaces variables in a text: `$NAME`, `${NAME}`, and `$$` for a dollar. Charges for each: a short name may stand for
  /// a long text.
  private static func expanded(
    _ text: String, _ budget: inout ImportBudget
  ) throws(ImportFailure) -> Result<String, MissingVariable> {
    var result = ""
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[rest.index(after: dollar)...]
      if rest.first == "$" {
        result += "$"
        rest.removeFirst()
        continue
      }
      let isInBraces = rest.first == "{"
      if isInBraces { rest.removeFirst() }
      let name = String(rest.prefix { isInBraces ? $0 != "}" : $0.isLetter || $0.isNumber || $0 == "_" })
      rest = rest.dropFirst(name.count)
      if isInBraces { rest = rest.dropFirst() }
      guard !name.isEmpty else {
        result += "$"
        continue
      }
      guard let value = ProcessFacts.variable(name) else { return .failure(MissingVariable(name: name)) }
      try budget.take(bytes: value.utf8.count)
      result += value
    }
    return .success(result + rest)
  }
}
