/// The names that a fleet uses in etcd and on disk, and what they may consist of.
///
/// A name that passes these checks can be a part of a key and of a path: it has neither a slash nor a NUL byte, and it
/// does not lead out of a directory.
public enum FleetNames {
  /// What the keys of all documents begin with: the one span that a mirror watches.
  public static let prefix = "/app-settings/1/"
  /// What the keys of all machines' answers begin with.
  public static let acksPrefix = "/app-settings-acks/1/"
  /// What the keys begin with by which writers of one document take turns. Machines do not watch them.
  public static let turnsPrefix = "/app-settings-turns/1/"
  /// What the keys begin with by which etcd itself proves whose transaction it was: only a user may write the key of that
  /// user's name. Machines do not watch them.
  public static let handsPrefix = "/app-settings-hands/1/"
  /// The app whose settings say where the cluster is, whom to trust and which command to run.
  ///
  /// They are the machine's own and never come from the fleet: whoever can write documents could otherwise run a command
  /// on every machine, or cut all of them off for good.
  public static let ownApp = "settings-fleet"
  /// The longest name of an app, a host or a machine, in bytes.
  public static let longestName = 253
  /// The longest name of a group, in bytes. It is part of a file's name, which must leave room for what a write adds to
  /// it while it is not finished.
  public static let longestGroup = 200

  /// The longest text of a document, in bytes: 1 MiB.
  public static let longestText = 1 << 20
  /// The longest id of an app, in bytes.
  public static let longestApp = 200

  /// Whether a text can be an app's id: letters, digits, `.`, `_` and `-`, no `..`, a letter or digit first, and not the
  /// name of a TOML file, which `settings-cli` takes for no id.
  public static func isApp(_ text: some StringProtocol) -> Bool {
    isName(text) && text.utf8.first != UInt8(ascii: "_") && text.utf8.count <= longestApp
      && text.suffix(5).lowercased() != ".toml"
  }

  /// Whether a text can be the name of a host or the id of a machine: letters, digits, `.`, `_` and `-`, no `..`, and
  /// neither `.` nor `-` first.
  public static func isName(_ text: some StringProtocol) -> Bool {
    isName(bytes: text.utf8)
  }

  /// Whether a text can be the name of a group: as a host's, with at most ``longestGroup`` bytes.
  public static func isGroup(_ text: some StringProtocol) -> Bool {
    isName(text) && text.utf8.count <= longestGroup
  }

  /// The rule for names, to state where one breaks it.
  package static func rule(upTo most: Int = longestName) -> String {
    "a name has 1 to \(most) of A-Z, a-z, 0-9, '.', '_' and '-', begins with none of '.' and '-', and has no '..'"
  }

  /// What the keys of an app's documents begin with.
  public static func prefix(ofApp app: String) -> String { prefix + app + "/" }

  /// What the keys of the answers about an app begin with.
  public static func acksPrefix(ofApp app: String) -> String { acksPrefix + app + "/" }

  /// What the keys begin with by which writers of an app's documents take turns.
  public static func turnsPrefix(ofApp app: String) -> String { turnsPrefix + app + "/" }

  /// The first key after all that begin with a prefix: the end of its range.
  ///
  /// - Parameter prefix: A text of ASCII that is not empty.
  public static func end(ofPrefix prefix: String) -> [UInt8] {
    var end = Array(prefix.utf8)
    while let last = end.last, last == .max { end.removeLast() }
    if !end.isEmpty { end[end.count - 1] += 1 }
    return end
  }

  static func isName(bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-"), bytes.count <= longestName
    else { return false }
    var previous: UInt8 = 0
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        break
      case UInt8(ascii: "."):
        if previous == byte { return false }
      default: return false
      }
      previous = byte
    }
    return true
  }
}
