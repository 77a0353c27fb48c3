import Glibc

/// What a watching process prints: lines, and messages on standard error.
struct WatchOutput {
  // -1 once it has ended, which poll(2) ignores: a descriptor at its end is always ready.
  private var output: CInt
  private var errors: CInt
  private var rest: [UInt8] = []
  private var messages: [UInt8] = []
  private static let mostLine = 16 << 20

  init(_ child: ChildProcess) { (output, errors) = (child.output, child.errors) }

  /// Whether more lines may come.
  var isOpen: Bool { output >= 0 }

  /// Waits until there is something to read, and reads it.
  ///
  /// - Parameter milliseconds: How long it waits; -1 is forever.
  /// - Returns: The lines that are complete now; `nil` if the time is over.
  mutating func next(within milliseconds: CInt = -1) -> [[UInt8]]? {
    var polled = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = poll(&polled, nfds_t(polled.count), milliseconds)
    guard count > 0 else { return count == 0 ? nil : [] }
    // Its warnings are in its lines, too. What is kept is for a command that ends with an error.
    if polled[1].revents != 0 { messages = Array((messages + Self.read(&errors)).suffix(4096)) }
    guard polled[0].revents != 0 else { return [] }
    let part = Self.read(&output)
    rest += part
    if rest.count > Self.mostLine { Self.close(&output) }
    guard part.contains(UInt8(ascii: "\n")) else { return [] }
    var lines = rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
    rest = lines.removeLast()
    return lines
  }

  /// What it said last on standard error.
  var message: String { CommandRun.messages(messages).last ?? "" }

  mutating func close() {
    Self.close(&output)
    Self.close(&errors)
  }

  private static func read(_ descriptor: inout CInt) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 14)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    if count == 0 || (count < 0 && errno != EINTR) { close(&descriptor) }
    return Array(buffer[..<max(count, 0)])
  }

  private static func close(_ descriptor: inout CInt) {
    if descriptor >= 0 { _ = Glibc.close(descriptor) }
    descriptor = -1
  }
}
