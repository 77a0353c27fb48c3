/// The names of files that this library makes next to another, `.NAME.settings-new`.
///
/// Each is a fixed name, so that the file of a killed process is found again, and nothing piles up. None ends in
/// `.toml`, so that no drop-in directory reads it. If a name would exceed 255 bytes, a hash replaces it.
///
/// For `settings.toml` they are `.settings.toml.settings-new` and `.settings.toml.settings-aside`.
package enum BesideName {
  /// The longest name on the usual file systems, `NAME_MAX` (limits.h(0p)).
  static let mostBytes = 255

  /// The name of a new text until it replaces the file.
  package static func temporary(for name: String) -> String { make(name, ".settings-new") }

  /// The name of a file on its way out. It differs from that of the temporary file, which any writer removes.
  static func aside(for name: String) -> String { make(name, ".settings-aside") }

  /// The beginning of the names used instead of `taken` when that is unavailable: a directory has it, or another user's
  /// file in a directory with restricted deletion. Random digits follow, because nobody can take all of those.
  static func substitutePrefix(for taken: String) -> String {
    let prefix = taken + "-"
    return PathText.bytes(prefix).count + randomDigits <= mostBytes ? prefix : ".\(hash(of: taken))-"
  }

  /// A name to use instead of `taken`.
  static func substitute(for taken: String) -> String {
    substitutePrefix(for: taken) + String(UInt64.random(in: 0...UInt64.max), radix: 16).padded(to: randomDigits)
  }

  private static let randomDigits = 16

  /// A name for what is kept about a file: its own, or a hash if that is too long.
  ///
  /// - Parameters:
  ///   - name: The name.
  ///   - room: The maximum number of bytes.
  static func label(_ name: String, upTo room: Int) -> String {
    name.utf8.count <= room || PathText.bytes(name).count <= room ? name : hash(of: name)
  }

  /// A hidden name with a suffix, at most 255 bytes long.
  private static func make(_ name: String, _ suffix: String) -> String {
    ".\(label(name, upTo: mostBytes - 1 - suffix.utf8.count))\(suffix)"
  }

  /// FNV-1a with 64 bits, http://www.isthe.com/chongo/tech/comp/fnv/.
  private static func hash(of name: String) -> String {
    let hash = PathText.bytes(name).reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16).padded(to: 16)
  }
}
