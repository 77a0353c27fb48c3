import FoundationEssentials
import Synchronization

/// The word that a request needs: 128 random bits.
public struct Token: Sendable {
  /// The token in base64url: letters, digits, `-` and `_`.
  public let text: String

  /// Makes a new one. It is never used again, so what someone has kept of an earlier server opens nothing.
  public init() {
    // From the kernel, as fit for keys.
    var generator = SystemRandomNumberGenerator()
    let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    let base64 = Data(bytes).base64EncodedString().filter { $0 != "=" }
    text = base64.replacing("+", with: "-").replacing("/", with: "_")
  }

  /// Whether the value of the header `Authorization` has the token. How long that takes says nothing about where they
  /// differ.
  func isIn(_ authorization: String?) -> Bool {
    let (given, scheme) = (authorization ?? "", "bearer ")
    // A scheme has no case: RFC 9110, section 11.1.
    return given.prefix(scheme.count).lowercased() == scheme && Self.isSame(String(given.dropFirst(scheme.count)), text)
  }

  fileprivate static func isSame(_ given: String, _ wanted: String) -> Bool {
    let (given, wanted) = (Array(given.utf8), Array(wanted.utf8))
    var difference = given.count ^ wanted.count
    for index in wanted.indices {
      difference |= Int(wanted[index] ^ (index < given.count ? given[index] : 0))
    }
    return difference == 0
  }
}

/// The word in the address, which is exchanged for the token once.
///
/// Browsers keep addresses: in their history, in their session, in what they sync. None of that opens anything.
final class AddressCode: Sendable {
  let text = Token().text
  // Protects whether somebody has used it.
  private let isUsed = Mutex(false)

  /// Whether a text is the code. It is so once.
  func use(_ given: String) -> Bool {
    guard Token.isSame(given, text) else { return false }
    return isUsed.withLock { isUsed in
      defer { isUsed = true }
      return !isUsed
    }
  }
}
