// What the suite uses is public, since it has no access to what is `package`; no product has it.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A system call as `strace -f -xx` shows it.
public struct TracedCall: Sendable, Equatable {
  public var pid: Int
  public var name: String
  public var arguments: [String]
  /// What it returned; `nil` for one that did not return, as in a process that was killed.
  public var result: Int?
  /// The number of the line on which it began, and of the one on which it ended.
  public var begin: Int
  public var end: Int

  public init(
    pid: Int, name: String, arguments: [String], result: Int?, begin: Int, end: Int
  ) {
    self.pid = pid
    self.name = name
    self.arguments = arguments
    self.result = result
    self.begin = begin
    self.end = end
  }

  /// Whether it returned and did not fail.
  public var succeeded: Bool { (result ?? -1) >= 0 }

  /// A number among the arguments: a descriptor, a size, an offset.
  public func number(_ index: Int) throws -> Int {
    let text = try argument(index)
    if text == "AT_FDCWD" { return -100 }
    if text.hasPrefix("0x"), let value = Int(text.dropFirst(2), radix: 16) { return value }
    guard let value = Int(text) else { throw malformed(index) }
    return value
  }

  public func string(_ index: Int) throws -> String {
    String(decoding: try bytes(index), as: UTF8.self)
  }

  /// A string among the arguments: `"\x68\x69"`.
  public func bytes(_ index: Int) throws -> [UInt8] { try Self.bytes(of: try argument(index), in: self) }

  /// The flags among the arguments: `O_RDWR|O_CREAT`.
  public func flags(_ index: Int) -> Set<Substring> {
    guard index < arguments.count else { return [] }
    return Set(arguments[index].split(separator: "|"))
  }

  /// The bytes of an array of buffers: `[{iov_base="\x68", iov_len=1}, …]`.
  public func vector(_ index: Int) throws -> [UInt8] {
    var result: [UInt8] = []
    var rest = try argument(index)[...]
    while let start = rest.firstRange(of: "iov_base=") {
      rest = rest[start.upperBound...]
      guard let end = rest.firstRange(of: ", iov_len=") else { throw malformed(index) }
      result += try Self.bytes(of: String(rest[..<end.lowerBound]), in: self)
      rest = rest[end.upperBound...]
    }
    if rest.contains("...") { throw malformed(index) }
    return result
  }

  func argument(_ index: Int) throws -> String {
    guard index < arguments.count else { throw malformed(index) }
    return arguments[index]
  }

  private func malformed(_ index: Int) -> CrashStatesError {
    CrashStatesError("cannot read argument \(index) of \(name) on line \(end) of the trace")
  }

  private static func bytes(of text: String, in call: TracedCall) throws -> [UInt8] {
    let units = Array(text.utf8)
    // A string that strace has shortened ends in dots.
    guard units.count >= 2, units.first == UInt8(ascii: "\""), units.last == UInt8(ascii: "\""), units.count % 4 == 2
    else { throw CrashStatesError("cannot read a string of \(call.name) on line \(call.end) of the trace") }
    func digit(_ unit: UInt8) -> UInt8 {
      unit <= UInt8(ascii: "9") ? unit - UInt8(ascii: "0") : (unit | 0x20) - UInt8(ascii: "a") + 10
    }
    return stride(from: 1, to: units.count - 1, by: 4).map { digit(units[$0 + 2]) << 4 | digit(units[$0 + 3]) }
  }
}
