import AppSettings
import Glibc

@testable import SettingsPage

/// What a server answered.
struct TestAnswer: Sendable {
  let status: Int
  let headers: [Header]
  let body: [UInt8]

  struct Header: Sendable {
    let name: String
    let value: String
  }

  var text: String { String(decoding: body, as: UTF8.self) }

  subscript(header: String) -> String? { headers.first { $0.name.lowercased() == header.lowercased() }?.value }
}

/// A connection to a server, with every byte under control: no library mends what a test sends.
///
/// Its calls block, on a thread of its own: those of the pool are the server's.
actor TestClient {
  private nonisolated let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private let descriptor: CInt
  private var isOpen = true
  private var received: [UInt8] = []
  private static let patience: CInt = 60_000

  init?(port: Int, isIPv6: Bool = false) {
    descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let isConnected: Bool
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = in_port_t(port).bigEndian
      inet_pton(AF_INET6, "::1", &address.sin6_addr)
      isConnected = Self.connect(descriptor, &address)
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      isConnected = Self.connect(descriptor, &address)
    }
    guard isConnected else { return nil }
  }

  init?(socket path: String) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
    guard descriptor >= 0, Self.connect(descriptor, &address) else { return nil }
  }

  deinit { if isOpen { Glibc.close(descriptor) } }

  /// Closes the connection.
  func close() {
    if isOpen { Glibc.close(descriptor) }
    isOpen = false
  }

  private static func connect<Address>(_ descriptor: CInt, _ address: inout Address) -> Bool {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
  }

  /// Sends bytes; `false` if the server has closed the connection.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Reads until there is more; `false` at the end.
  private func receive() -> Bool {
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&polled, 1, Self.patience) == 1 else { return false }
    var part = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &part, part.count)
    guard count > 0 else { return false }
    received += part[..<count]
    return true
  }

  /// The bytes up to and with a separator; `nil` if the connection ends before.
  private func take(through separator: String) -> [UInt8]? {
    let separator = Array(separator.utf8)
    var start = 0
    while true {
      if received.count >= separator.count {
        for index in start...(received.count - separator.count)
        where received[index..<index + separator.count].elementsEqual(separator) {
          defer { received.removeFirst(index + separator.count) }
          return Array(received[..<(index + separator.count)])
        }
        start = max(0, received.count - separator.count + 1)
      }
      guard receive() else { return nil }
    }
  }

  private func take(_ count: Int) -> [UInt8]? {
    while received.count < count { guard receive() else { return nil } }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// The head of the next answer.
  func head() -> TestAnswer? {
    guard let bytes = take(through: "\r\n\r\n") else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ") ?? []
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    let headers = lines.dropFirst().compactMap { line -> TestAnswer.Header? in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      return TestAnswer.Header(name: String(line[..<colon]), value: String(value))
    }
    return TestAnswer(status: status, headers: headers, body: [])
  }

  /// The next answer; `nil` if the connection ends before.
  func answer() -> TestAnswer? {
    guard let head = head(), let body = take(head["Content-Length"].flatMap(Int.init) ?? 0) else { return nil }
    return TestAnswer(status: head.status, headers: head.headers, body: body)
  }

  /// The next event of a stream, without the frame of its chunk: a name and data; `nil` at the end.
  func event() -> (name: String, data: JSONTree)? {
    while true {
      guard let bytes = take(through: "\n\n") else { return nil }
      let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      guard let name = lines.first(where: { $0.hasPrefix("event: ") }),
        let data = lines.first(where: { $0.hasPrefix("data: ") })
      else { continue }
      guard let json = try? JSONTree(parsing: data.dropFirst(6).utf8) else { return nil }
      return (String(name.dropFirst(7)), json)
    }
  }

  /// Whether the server closes the connection.
  func isClosed() -> Bool {
    while receive() {}
    var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&polled, 1, 0) == 1
  }
}
