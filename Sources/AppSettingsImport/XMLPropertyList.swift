import AppSettings
import FoundationEssentials

/// Reads Apple's XML form. It supports only what property lists use: without custom entities, no text can expand.
struct XMLPropertyList {
  typealias Node = PropertyListText.Node
  private let text: [UInt8]
  private var at = 0
  private var budget: ImportBudget

  /// Returns the value of a text.
  static func node(of text: [UInt8], _ budget: inout ImportBudget) throws(ImportFailure) -> Node {
    var reader = XMLPropertyList(text: text, budget: budget)
    defer { budget = reader.budget }
    return try reader.top()
  }

  private func fault(_ what: String) -> ImportFailure {
    let line = text[..<min(at, text.count)].reduce(1) { $0 + ($1 == 10 ? 1 : 0) }
    return ImportFailure(reason: "it is not a property list (\(what), in line \(line))")
  }

  private mutating func top() throws(ImportFailure) -> Node {
    var (name, isEmpty) = try tag()
    if name == "plist" {
      guard !isEmpty else { throw fault("it is empty") }
      (name, isEmpty) = try tag()
    }
    return try value(name, isEmpty: isEmpty, depth: 0)
  }

  private mutating func value(_ name: String, isEmpty: Bool, depth: Int) throws(ImportFailure) -> Node {
    guard depth < ImportBudget.mostNested else { throw fault("it is nested too deep") }
    try budget.take()
    switch name {
    case "true", "false":
      if !isEmpty { try end(of: name) }
      return .value(.boolean(name == "true"))
    case "dict":
      let members = isEmpty ? [] : try members(depth: depth)
      if members.count == 1, case ("CF$UID", .value(.integer(let number))) = members[0] {
        return .reference(Int(number))
      }
      return .table(members)
    case "array":
      var items: [Node] = []
      if isEmpty { return .array(items) }
      while true {
        let (next, isEmpty) = try tag()
        if next == "/array" { return .array(items) }
        items.append(try value(next, isEmpty: isEmpty, depth: depth + 1))
      }
    case "string": return .value(.string(isEmpty ? "" : try content(of: name)))
    default: break
    }
    let content = isEmpty ? "" : try content(of: name).withoutBlanks
    switch name {
    case "integer":
      let (digits, radix) = content.hasPrefix("0x") ? (content.dropFirst(2), 16) : (content[...], 10)
      if let number = Int64(digits, radix: radix) { return .value(.integer(number)) }
      if let number = UInt64(digits, radix: radix) { return .value(.string(String(number))) }
      throw fault("an 'integer' is malformed, or too large")
    case "real":
      // A number that is too large is read as infinite, too.
      guard let number = Double(content), !number.isInfinite || content.lowercased().contains("inf") else {
        throw fault("a 'real' is malformed, or too large")
      }
      return .value(.float(number))
    case "date":
      // Not by Foundation's formats, which have the Julian calendar before 1582.
      guard let date = try? Date.settingsBridge.read(TOMLValue(parsing: content)) else {
        throw fault("a 'date' is malformed")
      }
      return .date(date.timeIntervalSinceReferenceDate)
    case "data":
      guard let data = Data(base64Encoded: content.filter { !$0.isWhitespace }) else {
        throw fault("a 'data' is not Base64")
      }
      return .data(Array(data))
    default: throw fault("there is an unknown element")
    }
  }

  private mutating func members(depth: Int) throws(ImportFailure) -> [(String, Node)] {
    var members: [(String, Node)] = []
    while true {
      let (name, isEmpty) = try tag()
      if name == "/dict" { return members }
      guard name == "key" else { throw fault("a dictionary needs a key") }
      let key = isEmpty ? "" : try content(of: "key")
      try budget.take(bytes: key.utf8.count)
      let (next, isNextEmpty) = try tag()
      guard !next.hasPrefix("/") else { throw fault("a key has no value") }
      members.append((key, try value(next, isEmpty: isNextEmpty, depth: depth + 1)))
    }
  }

  private mutating func end(of name: String) throws(ImportFailure) {
    guard try tag().name == "/" + name else { throw fault("'\(name)' is not closed") }
  }

  /// Reads the next tag, and skips blanks, comments and declarations.
  private mutating func tag() throws(ImportFailure) -> (name: String, isEmpty: Bool) {
    while true {
      while at < text.count, text[at] == 32 || text[at] == 9 || text[at] == 10 || text[at] == 13 { at += 1 }
      if at == 0, text.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
      guard at < text.count, text[at] == UInt8(ascii: "<") else { throw fault("an element is missing") }
      if starts("<!--") {
        try skip(past: "-->")
      } else if starts("<?") {
        try skip(past: "?>")
      } else if starts("<!") {
        try skip(past: ">")
      } else {
        let start = at + 1
        try skip(past: ">")
        var inner = String(decoding: text[start..<at - 1], as: UTF8.self)
        let isEmpty = inner.hasSuffix("/")
        if isEmpty { inner.removeLast() }
        return (String(inner.prefix { !$0.isWhitespace }), isEmpty)
      }
    }
  }

  private func starts(_ prefix: String) -> Bool { text[at...].starts(with: prefix.utf8) }

  private mutating func skip(past mark: String) throws(ImportFailure) {
    let mark = Array(mark.utf8)
    while at + mark.count <= text.count {
      if text[at..<at + mark.count].elementsEqual(mark) {
        at += mark.count
        return
      }
      at += 1
    }
    throw fault("it ends too early")
  }

  /// Reads the text up to the end of an element, and resolves references.
  private mutating func content(of name: String) throws(ImportFailure) -> String {
    var result: [UInt8] = []
    while at < text.count {
      if starts("<![CDATA[") {
        at += 9
        let start = at
        try skip(past: "]]>")
        result += text[start..<at - 3]
      } else if starts("<!--") {
        try skip(past: "-->")
      } else if text[at] == UInt8(ascii: "<") {
        try end(of: name)
        return String(decoding: result, as: UTF8.self)
      } else if text[at] == UInt8(ascii: "&") {
        result += Array(String(try reference()).utf8)
      } else {
        result.append(text[at])
        at += 1
      }
    }
    throw fault("'\(name)' is not closed")
  }

  private mutating func reference() throws(ImportFailure) -> Unicode.Scalar {
    let start = at + 1
    try skip(past: ";")
    let name = String(decoding: text[start..<at - 1], as: UTF8.self)
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "quot": return "\""
    case "apos": return "'"
    default: break
    }
    let code =
      name.hasPrefix("#x")
      ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    guard let scalar = code.flatMap(Unicode.Scalar.init) else { throw fault("there is an unknown reference '&…;'") }
    return scalar
  }
}
