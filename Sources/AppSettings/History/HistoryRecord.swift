import Glibc
import SettingsTOML

/// One line of a journal: what one write, or another program, has changed.
///
/// This one is wrapped here:
///
/// ```
/// DIGEST {"n":12,"t":1772357400000,"by":"org.example.editor","why":"set",
///   "e":[["theme","\"light\"","\"dark\""]],"s":[[9,"light","dark"]],"in":61}
/// ```
struct HistoryRecord: Sendable, Equatable {
  typealias Actor = SettingsHistoryEntry.Actor

  /// What is known of a value at a path.
  enum Value: Sendable, Equatable {
    /// There is no value.
    case absent
    /// As TOML.
    case text(String)
    /// It is a secret, or nobody has declared its key.
    case hidden
    /// It is only in the texts.
    case long
  }

  /// The change of the value at a path.
  struct Change: Sendable, Equatable {
    var path: TOMLPath
    var old: Value
    var new: Value
  }

  /// One more than that of the record before, also across segments, unless records were lost. No number is used twice.
  var number: Int
  /// In milliseconds since 1970.
  var time: Int
  var actor: Actor
  var reason: String
  /// What it has taken back, if it is an undo or a redo.
  var reversal: Reversal?
  var changes: [Change]
  /// What it did to the kept text.
  var text: TextChange
  /// The place of its segment: it changes the text that the checkpoint and the records before it lead to, and no other.
  var segment: Int
  /// Whether it has too much to list. Then it has one change, that of everything, and no text: the checkpoint that
  /// follows has it. ``HistoryReader`` works out the changes.
  var isLarge = false
  /// Whether the text before it, and the one after it, does not parse.
  var followsUnparsed = false
  var isUnparsed = false
  /// The settings file after it, and the size of the kept text; `nil` if another record follows at once.
  var file: File?

  /// The properties by which the next write recognizes that no other program has written the file since.
  struct File: Sendable, Equatable {
    /// Without its size, which would say how long the values are that are not kept.
    var stamp: FileStamp
    var keptSize: Int
  }

  /// Longer values are only in the texts.
  static let mostShown = 2048
  /// The change of a record that has too much to list.
  static let everything = [Change(path: .root, old: .long, new: .long)]
}

extension SettingsHistoryEntry.Actor {
  /// This process.
  ///
  /// - Parameter app: The app's id, if it is one that writes its own settings.
  static func current(for app: String?) -> Self {
    let tool = ProcessFacts.tool.withLock { $0 }
    let program = ProcessFacts.program
    return Self(name: tool ?? app ?? program, program: program, process: Int(getpid()), user: Int(getuid()))
  }
}

/// The whole text before the record with a number, where a segment of a journal begins.
struct HistoryCheckpoint: Sendable, Equatable {
  /// What is said of the text.
  struct Head: Sendable, Equatable {
    var number: Int
    /// The number of bytes of the list of known keys with which the text was made.
    var known: Int
    /// Whether records before it are lost.
    var isAfterLoss = false
  }

  var head: Head
  var text: [UInt8]
}

/// The lines of a journal and of its list of known keys: 16 hexadecimal digits of the digest of the rest, a space, and
/// the rest, in a journal JSON.
///
/// The first member names the kind: `n` the number of a record, `c` that of a checkpoint, `i` that of an index, which
/// follows a checkpoint and says for each path in which earlier segment it was last changed.
enum HistoryLine {
  static let start = 17
  /// What the body of a record begins with.
  static let recordStart = Array("{\"n\":".utf8)
  /// The highest number, place and size in a journal. Anyone can write a higher one, from which nobody could count on.
  static let mostCounted = 1 << 56

  // MARK: Writing

  static func append(_ record: HistoryRecord, to bytes: inout [UInt8]) {
    append(to: &bytes) { line in
      line += "{\"n\":\(record.number),\"t\":\(record.time)".utf8
      if let name = record.actor.name {
        line += ",\"by\":".utf8
        quote(name.utf8, to: &line)
      }
      if let program = record.actor.program {
        line += ",\"exe\":".utf8
        quote(program.utf8, to: &line)
      }
      if let process = record.actor.process { line += ",\"pid\":\(process)".utf8 }
      if let user = record.actor.user { line += ",\"uid\":\(user)".utf8 }
      line += ",\"why\":".utf8
      quote(record.reason.utf8, to: &line)
      append(record.reversal, to: &line)
      line += ",\"e\":[".utf8
      for (index, change) in record.changes.enumerated() {
        line += (index > 0 ? ",[" : "[").utf8
        quote(change.path.description.utf8, to: &line)
        for value in [change.old, change.new] {
          line.append(UInt8(ascii: ","))
          switch value {
          case .absent: line += "0".utf8
          case .hidden: line += "false".utf8
          case .long: line += "true".utf8
          case .text(let text): quote(text.utf8, to: &line)
          }
        }
        line.append(UInt8(ascii: "]"))
      }
      line += "],\"s\":[".utf8
      for (index, part) in record.text.parts.enumerated() {
        line += "\(index > 0 ? "," : "")[\(part.offset),".utf8
        quote(part.removed, to: &line)
        line.append(UInt8(ascii: ","))
        quote(part.added, to: &line)
        line.append(UInt8(ascii: "]"))
      }
      line += "],\"in\":\(record.segment)".utf8
      if record.isLarge { line += ",\"large\":true".utf8 }
      if record.followsUnparsed { line += ",\"wasUnparsed\":true".utf8 }
      if record.isUnparsed { line += ",\"isUnparsed\":true".utf8 }
      if let file = record.file {
        let stamp = file.stamp
        let inode = Int64(bitPattern: stamp.inode)
        line += ",\"file\":[\(inode),\(stamp.modified),\(stamp.changed),\(file.keptSize)]".utf8
      }
      line.append(UInt8(ascii: "}"))
    }
  }

  static func append(_ checkpoint: HistoryCheckpoint, to bytes: inout [UInt8]) {
    // More than most texts need with their escapes.
    bytes.reserveCapacity(bytes.count + checkpoint.text.count + checkpoint.text.count / 4 + 256)
    append(to: &bytes) { line in
      line += "{\"c\":\(checkpoint.head.number),\"k\":\(checkpoint.head.known)".utf8
      if checkpoint.head.isAfterLoss { line += ",\"lost\":true".utf8 }
      line += ",\"text\":".utf8
      quote(checkpoint.text, to: &line)
      line += "}".utf8
    }
  }

  /// - Parameter segments: For each path, where the last segment that changed it begins.
  static func append(index segments: [(path: String, segment: Int)], of number: Int, to bytes: inout [UInt8]) {
    append(to: &bytes) { line in
      line += "{\"i\":\(number),\"of\":{".utf8
      for (index, (path, segment)) in segments.enumerated() {
        if index > 0 { line.append(UInt8(ascii: ",")) }
        quote(path.utf8, to: &line)
        line += ":\(segment)".utf8
      }
      line += "}}".utf8
    }
  }

  static func append(known key: KnownKeys.Entry, to bytes: inout [UInt8]) {
    append(to: &bytes) { $0 += "\(key.isSecret ? "-" : "+")\(key.path)".utf8 }
  }

  /// Appends a line: the digest, what `body` appends, and a line break.
  private static func append(to bytes: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
    let start = bytes.count
    bytes += Array(repeating: UInt8(ascii: " "), count: Self.start)
    body(&bytes)
    let digest = bytes.withUnsafeBytes { TextDigest(of: UnsafeRawBufferPointer(rebasing: $0[(start + Self.start)...])) }
    bytes.replaceSubrange(start..<start + 16, with: digest.text.utf8)
    bytes.append(UInt8(ascii: "\n"))
  }

  /// A JSON string of any bytes; those that are not UTF-8 as in ``PathText``.
  private static func quote(_ text: some Sequence<UInt8>, to line: inout [UInt8]) {
    let done: Void? = text.withContiguousStorageIfAvailable { quote($0, to: &line) }
    if done == nil { Array(text).withUnsafeBufferPointer { quote($0, to: &line) } }
  }

  private static func quote(_ text: UnsafeBufferPointer<UInt8>, to line: inout [UInt8]) {
    // A quick way for UTF-8, which it nearly always is.
    if text.reduce(0, |) >= 0x80, String(validating: text, as: UTF8.self) == nil || text.contains(0xF4) {
      var text = PathText.text(Array(text)[...])
      return text.withUTF8 { escape($0, to: &line) }
    }
    escape(text, to: &line)
  }

  /// A text as it is in a line, with quotes.
  static func quoted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    quote(text.utf8, to: &bytes)
    return bytes
  }

  private static func escape(_ text: UnsafeBufferPointer<UInt8>, to line: inout [UInt8]) {
    line.append(UInt8(ascii: "\""))
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 6 * escapedAtOnce + 8) { buffer in
      guard let start = buffer.baseAddress else { return }
      for at in stride(from: 0, to: text.count, by: escapedAtOnce) {
        let part = UnsafeBufferPointer(rebasing: text[at..<min(at + escapedAtOnce, text.count)])
        line += UnsafeBufferPointer(start: start, count: Scan.escape(part, into: start))
      }
    }
    line.append(UInt8(ascii: "\""))
  }

  /// So few that what they become is on the stack.
  private static let escapedAtOnce = 160

  // MARK: Reading

  /// A line without its digest and line break; `nil` if the digest is another.
  static func body(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard line.count > start, line[16] == UInt8(ascii: " ") else { return nil }
    let body = UnsafeRawBufferPointer(rebasing: line[start...])
    guard TextDigest(of: body).text.utf8.elementsEqual(line[..<16]) else { return nil }
    return body
  }

  /// The kind of a line, and the number in it; `nil` for anything else. Does not check the digest.
  static func head(of line: UnsafeRawBufferPointer) -> (kind: UInt8, number: Int)? {
    guard line.count > start + 6, line[start] == UInt8(ascii: "{"), line[start + 1] == UInt8(ascii: "\""),
      line[start + 3] == UInt8(ascii: "\""), line[start + 4] == UInt8(ascii: ":")
    else { return nil }
    let number = digits(of: line, at: start + 5)
    return number <= mostCounted ? (line[start + 2], number) : nil
  }

  /// The time of a record's line. Does not check the digest.
  static func time(of line: UnsafeRawBufferPointer) -> Int? {
    guard let comma = line[start...].firstIndex(of: UInt8(ascii: ",")),
      line[comma...].starts(with: ",\"t\":".utf8)
    else { return nil }
    return digits(of: line, at: comma + 5)
  }

  /// The number whose digits begin at a place; 0 if there are none. One that is too high is cut.
  private static func digits(of line: UnsafeRawBufferPointer, at place: Int) -> Int {
    var number = 0
    var at = place
    let most = mostCounted
    while at < line.count, line[at] >= 0x30, line[at] <= 0x39, number <= most {
      number = number * 10 + Int(line[at] - 0x30)
      at += 1
    }
    return number
  }

  /// The members of a line's JSON; `nil` if the digest is wrong.
  private static func members(of line: UnsafeRawBufferPointer) -> TOMLTable? {
    guard let body = body(of: line),
      let value = try? JSONText.value(of: String(decoding: body, as: UTF8.self)), case .table(let table) = value
    else { return nil }
    return table
  }

  /// The record in a line; `nil` if the digest is wrong or a member is missing. Unknown members are ignored.
  static func record(_ line: UnsafeRawBufferPointer) -> HistoryRecord? {
    guard let table = members(of: line), let number = table["n"]?.count, let time = table["t"]?.number,
      let reason = table["why"]?.string, let segment = table["in"]?.count, case .array(let changes)? = table["e"],
      case .array(let all)? = table["s"], case let parts = all.compactMap(part), parts.count == all.count
    else { return nil }
    let actor = HistoryRecord.Actor(
      name: table["by"]?.string, program: table["exe"]?.string, process: table["pid"]?.number,
      user: table["uid"]?.number)
    return HistoryRecord(
      number: number, time: time, actor: actor, reason: reason, reversal: reversal(table),
      changes: changes.compactMap(change), text: TextChange(parts: parts), segment: segment,
      isLarge: table["large"] != nil, followsUnparsed: table["wasUnparsed"] != nil,
      isUnparsed: table["isUnparsed"] != nil, file: table["file"].flatMap(file))
  }

  private static func file(_ value: TOMLValue) -> HistoryRecord.File? {
    guard case .array(let parts) = value, parts.count == 4, let inode = parts[0].number, let modified = parts[1].number,
      let changed = parts[2].number, let size = parts[3].count
    else { return nil }
    let stamp = FileStamp(
      inode: UInt64(bitPattern: Int64(inode)), size: 0, modified: Int64(modified), changed: Int64(changed))
    return HistoryRecord.File(stamp: stamp, keptSize: size)
  }

  private static func change(_ value: TOMLValue) -> HistoryRecord.Change? {
    guard case .array(let parts) = value, parts.count == 3, let name = parts[0].string,
      let path = name.isEmpty ? .root : try? TOMLPath(parsing: name)
    else { return nil }
    func known(_ value: TOMLValue) -> HistoryRecord.Value {
      switch value {
      case .string(let text): .text(text)
      case .boolean(let isLong): isLong ? .long : .hidden
      default: .absent
      }
    }
    return HistoryRecord.Change(path: path, old: known(parts[1]), new: known(parts[2]))
  }

  private static func part(_ value: TOMLValue) -> TextChange.Part? {
    guard case .array(let parts) = value, parts.count == 3, let offset = parts[0].count, let removed = parts[1].string,
      let added = parts[2].string
    else { return nil }
    return TextChange.Part(offset: offset, removed: PathText.bytes(removed), added: PathText.bytes(added))
  }

  /// What a checkpoint says of its text; `nil` if the digest is wrong or a member is missing.
  ///
  /// Of the text, only the digest is checked.
  static func checkpointHead(_ line: UnsafeRawBufferPointer) -> HistoryCheckpoint.Head? {
    checkpointParts(line).map { $0.head }
  }

  /// The checkpoint in a line; `nil` if the digest is wrong or a member is missing.
  static func checkpoint(_ line: UnsafeRawBufferPointer) -> HistoryCheckpoint? {
    guard let (head, text) = checkpointParts(line), let bytes = Scan.unescape(text) else { return nil }
    return HistoryCheckpoint(head: head, text: PathText.bytes(of: bytes))
  }

  /// What a checkpoint has before its text, and the text with its escapes.
  private static func checkpointParts(
    _ line: UnsafeRawBufferPointer
  ) -> (head: HistoryCheckpoint.Head, text: UnsafeRawBufferPointer)? {
    // The text is the last member, and those before it have no quotes in their values.
    guard let body = body(of: line), body.count > textEnd.count,
      let start = (0..<min(body.count, mostHead)).first(where: { body[$0...].starts(with: textStart) }),
      body.suffix(textEnd.count).elementsEqual(textEnd), start + textStart.count <= body.count - textEnd.count,
      let value = try? JSONText.value(of: String(decoding: body[..<start], as: UTF8.self) + "}"),
      case .table(let table) = value, let number = table["c"]?.count, let known = table["k"]?.count
    else { return nil }
    return (
      HistoryCheckpoint.Head(number: number, known: known, isAfterLoss: table["lost"] != nil),
      UnsafeRawBufferPointer(rebasing: body[(start + textStart.count)..<(body.count - textEnd.count)])
    )
  }

  /// What is before a text is not longer.
  private static let mostHead = 100
  private static let textStart = Array(",\"text\":\"".utf8)
  private static let textEnd = Array("\"}".utf8)

  /// The key in a line of the list of known keys: `+theme`, or `-token` for a secret.
  static func known(_ line: UnsafeRawBufferPointer) -> KnownKeys.Entry? {
    guard let body = body(of: line), let sign = body.first else { return nil }
    let name = String(decoding: body.dropFirst(), as: UTF8.self)
    // A garage's root: all of it, or nothing.
    guard let path = name.isEmpty ? .root : try? TOMLPath(parsing: name) else { return nil }
    return KnownKeys.Entry(path: path, isSecret: sign == UInt8(ascii: "-"))
  }

  /// The entry of an index that begins at a place in its line; `nil` if none does.
  static func indexEntry(_ line: UnsafeRawBufferPointer, at place: Int) -> (path: String, segment: Int)? {
    var end = place + 1
    while end < line.count, line[end] != UInt8(ascii: "\"") { end += line[end] == UInt8(ascii: "\\") ? 2 : 1 }
    guard end + 1 < line.count, line[end + 1] == UInt8(ascii: ":"),
      let value = try? JSONText.value(of: String(decoding: line[place...end], as: UTF8.self)),
      case .string(let path) = value
    else { return nil }
    return (path, digits(of: line, at: end + 2))
  }

  /// The segments of an index by path.
  static func index(_ line: UnsafeRawBufferPointer) -> [(path: String, segment: Int)]? {
    guard let table = members(of: line), case .table(let segments)? = table["of"] else { return nil }
    return segments.compactMap { path, value in value.count.map { (path, $0) } }
  }
}

extension TOMLValue {
  fileprivate var number: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
  fileprivate var count: Int? { number.flatMap { 0...HistoryLine.mostCounted ~= $0 ? $0 : nil } }
}
