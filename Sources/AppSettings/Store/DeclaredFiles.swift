/// The person's declared files: drop-ins beside the user's file, and those that hold on some machines only.
///
/// They are in `$XDG_CONFIG_HOME/APP/settings.d`, for a store named `settings`. Later files are above earlier ones:
/// first come the drop-ins by name, then the directories whose condition holds (`@os`, `@arch`, `@host`), each with its
/// files by name.
package enum DeclaredFiles {
  /// A directory of a condition, such as `@os=debian`.
  package struct Condition: Sendable, Hashable {
    /// The words before the `=`, in the order in which the directories apply.
    package static let words = ["@os", "@arch", "@host"]

    package var directory: String
    /// Whether the condition holds; `nil` if the word before the `=` is unknown.
    package var holds: Bool?
  }

  /// The conditions among the names in the directory, in the order in which they apply.
  ///
  /// A host may be named in full or up to the first dot; the full name comes last.
  static func conditions(among names: [String], system: Syscalls) -> [Condition] {
    let conditional = names.filter { $0.utf8.first == UInt8(ascii: "@") }
    guard !conditional.isEmpty else { return [] }
    // Looked up only if a directory asks for it.
    lazy var systemID = MachineFacts.systemID(system)
    lazy var machine = MachineFacts.names
    func rank(_ name: String) -> (Int, Bool?) {
      let parts = name.bytewiseSplit(UInt8(ascii: "="))
      let value = name.utf8.dropFirst(parts[0].utf8.count + 1)
      guard let word = Condition.words.firstIndex(where: { parts.count > 1 && parts[0].isBytewise($0) }) else {
        return (3, nil)
      }
      switch word {
      case 0: return (0, systemID.map { value.elementsEqual($0.utf8) } ?? false)
      case 1: return (1, value.elementsEqual(machine.machine.utf8))
      default:
        if value.elementsEqual(machine.host.utf8) { return (3, true) }
        return (2, value.elementsEqual(machine.host.utf8.prefix { $0 != UInt8(ascii: ".") }) && !value.isEmpty)
      }
    }
    return conditional.map { (name: $0, rank: rank($0)) }
      .sorted { ($0.rank.0, $0.name) < ($1.rank.0, $1.name) }
      .map { Condition(directory: $0.name, holds: $0.rank.1) }
  }

  /// Their paths, lowest first.
  ///
  /// - Parameters:
  ///   - own: A declared file that need not exist: only the paths before it are returned.
  ///   - directory: The directory of the declared files.
  ///   - system: The system calls.
  ///   - found: Returns the names in a directory, perhaps with duplicates.
  ///   - noteDirectory: Gets each directory that applies.
  ///   - noteUnknown: Gets each entry whose condition is unknown.
  /// - Returns: The paths, each once. The files may be unreadable.
  package static func paths(
    in directory: String, before own: String? = nil, system: Syscalls, names found: (String) -> [String],
    noteDirectory: (String) -> Void = { _ in }, noteUnknown: (String) -> Void = { _ in }
  ) -> [String] {
    func names(_ directory: String) -> [String] {
      guard let own, own.beginsBytewise(with: directory + "/") else { return found(directory) }
      let rest = Substring(own.utf8.dropFirst(directory.utf8.count + 1))
      return found(directory) + rest.pathParts.prefix(1).map { String($0) }
    }
    noteDirectory(directory)
    let entries = names(directory)
    let plain = entries.filter { $0.utf8.first != UInt8(ascii: "@") }
    var paths = SystemFiles.dropIns(among: plain).map { "\(directory)/\($0)" }
    var seen: Set<String> = []
    for condition in conditions(among: entries, system: system) where seen.insert(condition.directory).inserted {
      let path = "\(directory)/\(condition.directory)"
      guard let holds = condition.holds else {
        noteUnknown(path)
        continue
      }
      guard holds else { continue }
      noteDirectory(path)
      paths += SystemFiles.dropIns(among: names(path)).map { "\(path)/\($0)" }
    }
    return own.flatMap { own in paths.firstIndex { $0.isBytewise(own) } }.map { Array(paths[..<$0]) } ?? paths
  }
}
