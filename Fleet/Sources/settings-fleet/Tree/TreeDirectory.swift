import AppSettings
import SettingsFleet
import SettingsTools

/// A directory of documents, as version control keeps it.
struct TreeDirectory {
  let path: String

  /// The texts of all documents in it, by version.
  ///
  /// Hidden files, and files of other kinds than TOML, are left out. A link is refused: its target would be read with
  /// the rights of this process, and sent to all machines.
  ///
  /// - Throws: ``Failure`` that names every file which cannot be used.
  func read() throws -> [FleetDocument: [Int: [UInt8]]] {
    var (files, problems) = ([TreePath: [UInt8]](), [String]())
    guard try File.status(path)?.isDirectory == true else {
      throw Failure(.io, "'\(path)' is not a directory.")
    }
    try read("", into: &files, &problems)
    var texts: [FleetDocument: [Int: [UInt8]]] = [:]
    for (file, text) in files.sorted(by: { $0.key.description < $1.key.description }) {
      do {
        try DocumentEditor.checkOwner(of: file.document.app)
        let version = try Workspace.version(of: text)
        if let named = file.version, named != version {
          problems.append("'\(file)' says that it has version \(version).")
        } else if texts[file.document, default: [:]].updateValue(text, forKey: version) != nil {
          problems.append("'\(file)' has version \(version), as another file of '\(file.document)'.")
        }
      } catch let failure as Failure {
        problems.append("'\(file)': \(failure)")
      }
    }
    for (document, versions) in texts where problems.isEmpty {
      let newest = TreePath(document)
      if files[newest] == nil || versions[versions.keys.max()!] != files[newest] {
        problems.append("'\(newest)' is missing, or does not have the newest version of '\(document)'.")
      }
    }
    guard problems.isEmpty else {
      throw Failure(
        .invalidValue,
        "Cannot use '\(path)':\n" + problems.sorted().map { "  \($0)\n" }.joined() + "Nothing was written.")
    }
    return texts
  }

  private func read(
    _ directory: String, into files: inout [TreePath: [UInt8]], _ problems: inout [String]
  ) throws(File.Failed) {
    for name in try File.names(in: "\(path)/\(directory)") where !name.hasPrefix(".") {
      let relative = directory.isEmpty ? name : "\(directory)/\(name)"
      switch PathText.hasBytes(name) ? nil : File.present("\(path)/\(relative)") {
      case let present? where present.isDirectory: try read(relative, into: &files, &problems)
      case let present? where present.isRegular:
        guard name.hasSuffix(".toml") else { break }
        guard let file = TreePath(relative) else {
          problems.append(
            "'\(relative)' is not a document: its path has to be APP/all.toml, APP/group/NAME.toml or APP/host/NAME.toml."
          )
          break
        }
        let text = try File.read("\(path)/\(relative)", upTo: FleetNames.longestText + 1)
        if text.count > FleetNames.longestText {
          problems.append("'\(relative)' has more than \(FleetNames.longestText) bytes, which is the limit.")
        } else {
          files[file] = text
        }
      case nil:
        problems.append("'\(PathText.shown(relative))' cannot be read: its name is not UTF-8, or it has just gone.")
      default: problems.append("'\(relative)' is neither a file nor a directory. Links are not followed.")
      }
    }
  }

  /// Writes documents as files. Those that have their text already are not touched.
  ///
  /// - Parameters:
  ///   - documents: The texts by version.
  ///   - isForeign: Whether a document that the directory has, and the fleet does not, is to be named.
  /// - Returns: The documents' files in the directory that the fleet does not have. They stay.
  func write(
    _ documents: [FleetDocument: [Int: [UInt8]]], naming isForeign: (FleetDocument) -> Bool
  ) throws -> [TreePath] {
    var kept: Set<TreePath> = []
    try File.makeDirectory(path, mode: 0o755)
    for (document, versions) in documents.sorted(by: { $0.key < $1.key }) {
      let newest = versions.keys.max()
      for (version, text) in versions.sorted(by: { $0.key < $1.key }) {
        let file = TreePath(document, version: version == newest ? nil : version)
        kept.insert(file)
        try write(text, as: file)
      }
    }
    var (present, problems) = ([TreePath: [UInt8]](), [String]())
    try read("", into: &present, &problems)
    return present.keys.filter { !kept.contains($0) && isForeign($0.document) }
      .sorted { $0.description < $1.description }
  }

  private func write(_ text: [UInt8], as file: TreePath) throws {
    var directory = path
    for part in "\(file)".split(separator: "/").dropLast() {
      directory += "/\(part)"
      try File.makeDirectory(directory, mode: 0o755)
      guard File.present(directory)?.isDirectory == true else {
        throw Failure(.io, "'\(directory)' is not a directory. Links are not followed.")
      }
    }
    let target = "\(path)/\(file)"
    let present = File.present(target)
    guard present?.isRegular != false else {
      throw Failure(.io, "'\(target)' is not a file. Links are not followed.")
    }
    if present != nil, try File.read(target) == text { return }
    // A hidden name, which is not a document's.
    try File.replace(target, with: text, mode: 0o644, temporary: "\(directory)/.settings-fleet.new")
  }
}
