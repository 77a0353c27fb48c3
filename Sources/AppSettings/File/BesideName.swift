/// The names of files that this library makes beside another, `.NAME.settings-new`.
///
/// Each is one fixed name, so that what a process that was killed has left is found again, and nothing piles up. None ends
/// in `.toml`, so that no drop-in directory reads it. Where the file's name leaves no room (a name has at most 255
/// bytes), a hash stands for it.
package enum BesideName {
  static let mostBytes = 255

  /// The name that a new text has until it takes the file's place.
  package static func temporary(for name: String) -> String { make(name, ".settings-new") }

  /// The name that a file has on its way out. It is not that of the temporary file, which any writer takes away.
  static func aside(for name: String) -> String { make(name, ".settings-aside") }

  /// What the names begin with that stand in for `taken`, which cannot be had: a directory has it, or another user's file
  /// in a directory whose files only their owners may remove. Random digits follow, as nobody can take all of those.
  static func substitutePrefix(for taken: String) -> String {
    let prefix = taken + "-"
    return PathText.bytes(prefix).count + randomDigits <= mostBytes ? prefix : ".\(hash(of: taken))-"
  }

  /// A name that stands in for `taken`.
  static func substitute(for taken: String) -> String {
    let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    return substitutePrefix(for: taken) + String(repeating: "0", count: randomDigits - digits.count) + digits
  }

  private static let randomDigits = 16

  /// A name for what is kept about a file: its own, or a hash where that has more bytes than there is room for.
  static func label(_ name: String, upTo room: Int) -> String {
    name.utf8.count <= room || PathText.bytes(name).count <= room ? name : hash(of: name)
  }

  private static func make(_ name: String, _ suffix: String) -> String {
    ".\(label(name, upTo: mostBytes - 1 - suffix.utf8.count))\(suffix)"
  }

  /// FNV-1a with 64 bits, http://www.isthe.com/chongo/tech/comp/fnv/.
  private static func hash(of name: String) -> String {
    let hash = PathText.bytes(name).reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
