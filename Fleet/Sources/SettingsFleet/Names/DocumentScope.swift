/// Which machines a document is for.
///
/// Its text form is `all`, `group/web` or `host/a1`: that is how it is in a key, in JSON and on the command line.
public enum DocumentScope: Hashable, Sendable {
  /// Every machine.
  case all
  /// The machines of a group.
  case group(String)
  /// One host.
  case host(String)

  /// Reads `all`, `group/web` or `host/a1`; `nil` if the text is none of them or a name is invalid.
  public init?(_ text: some StringProtocol) {
    if text == "all" {
      self = .all
      return
    }
    guard let slash = text.firstIndex(of: "/") else { return nil }
    let name = String(text[text.index(after: slash)...])
    switch text[..<slash] {
    case "group" where FleetNames.isGroup(name): self = .group(name)
    case "host" where FleetNames.isName(name): self = .host(name)
    default: return nil
    }
  }

  /// Whether a machine with this name and these groups is one that it is for.
  func includes(host: String, groups: [String]) -> Bool {
    switch self {
    case .all: true
    case .group(let name): groups.contains(name)
    case .host(let name): name == host
    }
  }

  /// The name of the file that a mirror keeps: `10-all.toml`, `20-group-web.toml`, `30-host.toml`.
  ///
  /// Files are read in the order of their names, so that a host's document wins over its groups' and those over the one
  /// for all. A host's file does not have the host's name: there is one on a machine.
  public var fileName: String {
    switch self {
    case .all: "10-all.toml"
    case .group(let name): "20-group-\(name).toml"
    case .host: "30-host.toml"
    }
  }

  /// The scope that a file of a mirror is for; `nil` if no mirror makes such a file.
  ///
  /// - Parameters:
  ///   - fileName: The file's name, without its directory.
  ///   - host: The machine's host name, which `30-host.toml` stands for.
  public init?(fileName: some StringProtocol, host: String) {
    switch fileName {
    case "10-all.toml": self = .all
    case "30-host.toml": self = .host(host)
    default:
      guard fileName.hasPrefix("20-group-"), fileName.hasSuffix(".toml"), fileName.utf8.count > 14 else { return nil }
      let name = String(fileName.dropFirst(9).dropLast(5))
      guard FleetNames.isGroup(name) else { return nil }
      self = .group(name)
    }
  }
}

extension DocumentScope: TextCoded {
  /// `all`, `group/web` or `host/a1`.
  public var description: String {
    switch self {
    case .all: "all"
    case .group(let name): "group/\(name)"
    case .host(let name): "host/\(name)"
    }
  }
}

extension DocumentScope: Comparable {
  /// From the lowest precedence to the highest.
  public static func < (a: Self, b: Self) -> Bool { (a.rank, a.description) < (b.rank, b.description) }

  private var rank: Int {
    switch self {
    case .all: 0
    case .group: 1
    case .host: 2
    }
  }
}
