import AppSettings
import Glibc
import Synchronization

/// Standard output and standard error.
enum Output {
  private static let pending = Mutex<[UInt8]>([])

  /// Adds an answer and a newline, or another terminator, to what ``flush()`` sends.
  static func line(_ text: String, terminator: String = "\n") {
    pending.withLock { $0 += Array((text + terminator).utf8) }
  }

  /// Writes to standard error, with a newline.
  static func error(_ text: String) { _ = send(Array((text + "\n").utf8), to: STDERR_FILENO) }

  /// Sends what was written on its way.
  ///
  /// - Throws: ``Failure`` with status 7 if the answer could not be written: no script may take half of it for whole.
  static func flush() throws {
    let bytes = pending.withLock { bytes in
      defer { bytes = [] }
      return bytes
    }
    let failure = send(bytes, to: STDOUT_FILENO)
    if failure == EPIPE { throw Failure(.io) }
    if failure != 0 { throw Failure(.io, "Cannot write the answer: \(Errno(failure).message).") }
  }

  /// Writes every byte; gives the error number, or 0.
  private static func send(_ bytes: [UInt8], to descriptor: CInt) -> CInt {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}

/// How values are shown.
enum Shown {
  /// A value as `get` prints it: a string as it is, anything else as TOML.
  static func bare(_ value: TOMLValue) -> String {
    if case .string(let text) = value { text } else { value.tomlText }
  }

  /// A value as JSON, keys in the order of the file. What JSON has no form for (dates, `nan`, `inf`) is a string.
  static func json(_ value: TOMLValue?) -> String {
    switch value {
    case nil: "null"
    case .string(let text): quoted(text)
    case .integer(let number): String(number)
    case .float(let number) where number.isFinite: "\(number)"
    case .boolean(let flag): flag ? "true" : "false"
    case .array(let elements): "[" + elements.map(json).joined(separator: ",") + "]"
    case .table(let table): object(table.map { ($0.key, json($0.value)) })
    case let other?: quoted(other.tomlText)
    }
  }

  /// A JSON object of members whose values are JSON already.
  static func object(_ members: [(String, String)]) -> String {
    "{" + members.map { "\(quoted($0.0)):\($0.1)" }.joined(separator: ",") + "}"
  }

  /// A JSON string, RFC 8259 section 7.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Where a value comes from, as JSON members: `key value layer file line isDefault isLocked`.
  static func record(_ path: TOMLPath, in snapshot: SettingsSnapshot) -> String {
    let layer = snapshot.layer(of: path)
    return object([
      ("key", quoted(path.description)),
      ("value", json(snapshot[path])),
      ("layer", quoted(layer.kind.rawValue)),
      ("file", layer.file.map(quoted) ?? "null"),
      ("line", snapshot.position(of: path).map { String($0.line) } ?? "null"),
      ("isDefault", layer.kind == .default ? "true" : "false"),
      ("isLocked", snapshot.lock(of: path) == nil ? "false" : "true"),
    ])
  }
}
