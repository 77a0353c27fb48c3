/// The key of a secret, whose text is the name of a file: of the mirror's, and of a credential of systemd.
///
/// Each part of the key has letters, digits, `_` and `-` only. So the name needs no quotes, does not lead out of a
/// directory, does not begin with a dot, and is the same to everybody who reads it.
public struct SecretName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The key, with dots: `db.password`.
  public let description: String

  /// The longest name, in bytes. systemd takes 255 for a credential, a file system for a file.
  public static let longest = 200

  /// Joins the parts of a key; `nil` if they cannot be the name of a file.
  public init?(_ components: [String]) {
    let isBare = components.allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
          default: false
          }
        }
    }
    let text = components.joined(separator: ".")
    guard isBare, !components.isEmpty, text.utf8.count <= Self.longest else { return nil }
    description = text
  }

  /// The rule to state when a key cannot be a secret's name.
  public static let rule =
    "Its value becomes a file of that name: use letters, digits, '_' and '-', with dots between the parts of the key, and "
    + "at most \(longest) bytes in total."

  /// By bytes.
  public static func < (a: Self, b: Self) -> Bool { a.description.utf8.lexicographicallyPrecedes(b.description.utf8) }
}
