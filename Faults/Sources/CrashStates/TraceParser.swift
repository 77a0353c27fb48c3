/// Reads what `strace -f -qq -xx -o FILE` writes: one call a line, or two where another thread's call came between.
public struct TraceParser: Sendable {
  /// What a line of a trace says.
  public enum Item: Equatable, Sendable {
    /// A call begins and does not end on its line. Only calls that make processes matter here.
    case begin(TracedCall)
    case end(TracedCall)
  }

  /// - Returns: The calls in the order in which they ended, and the beginnings of those that other calls interrupt.
  ///   What never ended comes last, without a result.
  public static func parse(_ text: String) throws -> [Item] {
    var items: [Item] = []
    var unfinished: [Int: (text: String, line: Int)] = [:]
    var number = 0
    for line in text.split(separator: "\n") {
      number += 1
      guard let space = line.firstIndex(of: " "), let pid = Int(line[..<space]) else {
        throw CrashStatesError("line \(number) of the trace has no process id")
      }
      var rest = line[space...].drop { $0 == " " }
      // Signals and exits.
      if rest.hasPrefix("---") || rest.hasPrefix("+++") { continue }
      if rest.hasSuffix("<unfinished ...>") {
        rest = rest.dropLast("<unfinished ...>".count)
        unfinished[pid] = (String(rest), number)
        if let call = try call(pid, String(rest) + ") = ?", begin: number, end: number) { items.append(.begin(call)) }
        continue
      }
      var text = String(rest)
      var begin = number
      if rest.hasPrefix("<... ") {
        guard let start = unfinished.removeValue(forKey: pid), let resumed = rest.firstRange(of: " resumed>") else {
          throw CrashStatesError("line \(number) of the trace goes on with a call that did not begin")
        }
        text = start.text + rest[resumed.upperBound...]
        begin = start.line
      }
      if let call = try call(pid, text, begin: begin, end: number) { items.append(.end(call)) }
    }
    for (pid, start) in unfinished.sorted(by: { $0.value.line < $1.value.line }) {
      if let call = try call(pid, start.text + ") = ?", begin: start.line, end: number + 1) { items.append(.end(call)) }
    }
    return items
  }

  /// Takes `name(arguments) = result` apart.
  private static func call(_ pid: Int, _ text: String, begin: Int, end: Int) throws -> TracedCall? {
    guard let open = text.firstIndex(of: "(") else {
      throw CrashStatesError("line \(end) of the trace is no call: \(text.prefix(60))")
    }
    let name = String(text[..<open])
    var arguments: [String] = []
    var depth = 0
    var isQuoted = false
    var current: [UInt8] = []
    var position = text.utf8.index(after: open)
    let units = text.utf8
    scan: while position < units.endIndex {
      let unit = units[position]
      switch unit {
      case UInt8(ascii: "\""): isQuoted.toggle()
      case _ where isQuoted: break
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: ")") where depth == 0: break scan
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        arguments.append(trimmed(current))
        current = []
        position = units.index(after: position)
        continue scan
      default: break
      }
      current.append(unit)
      position = units.index(after: position)
    }
    if !trimmed(current).isEmpty { arguments.append(trimmed(current)) }
    guard position < units.endIndex, let equals = text[position...].firstIndex(of: "=") else {
      throw CrashStatesError("line \(end) of the trace has no result: \(text.prefix(60))")
    }
    let word = text[text.index(after: equals)...].drop { $0 == " " }.prefix { $0 != " " }
    // An injected call was not carried out, whatever the process was told.
    guard !text.hasSuffix(" (INJECTED)") else {
      return TracedCall(pid: pid, name: name, arguments: arguments, result: nil, begin: begin, end: end)
    }
    let result = word.hasPrefix("0x") ? Int(truncatingIfNeeded: UInt(word.dropFirst(2), radix: 16) ?? 0) : Int(word)
    return TracedCall(pid: pid, name: name, arguments: arguments, result: result, begin: begin, end: end)
  }

  private static func trimmed(_ units: [UInt8]) -> String {
    let start = units.firstIndex { $0 != 32 } ?? units.endIndex
    let end = units.lastIndex { $0 != 32 } ?? start - 1
    return start <= end ? String(decoding: units[start...end], as: UTF8.self) : ""
  }
}
