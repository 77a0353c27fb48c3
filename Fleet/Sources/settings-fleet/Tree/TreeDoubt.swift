import SettingsFleet
import SettingsTOML
import SettingsTools

/// A text of a directory that would be signed, and has values that the fleet has from somebody without a trusted key: the
/// directory may have them from there.
struct TreeDoubt: Sendable {
  var version: Int
  /// Why the fleet's text is not to be trusted.
  var problem: FleetProblem
  /// The last text that a trusted key has signed; `nil` if the cluster has none.
  var signed: [UInt8]?
  /// How the directory's text differs from that, in lines.
  var lines: [String]

  /// - Parameters:
  ///   - texts: The directory's texts of the document.
  ///   - version: The version of the document.
  ///   - present: What the fleet has of it.
  /// - Returns: `nil` if there is no doubt.
  init?(
    of document: FleetDocument, _ texts: [Int: [UInt8]], version: Int, present: AppDocuments?, trust: Trust,
    in context: Context
  ) async throws {
    // A new version is made from the one before. If the directory has that, too, it may have been put right since.
    guard let text = texts[version], let (base, stored) = present?.readable(document.scope, upTo: version),
      let problem = trust.problem(with: stored, of: document, version: base)
    else { return nil }
    let past = Past(cluster: context.cluster, document: document)
    let last = try await past.lastSigned(version: base, by: trust)
    let signed = last.found
    // What never was signed is as the directory's reviewers want it.
    guard signed != nil || last.isCut || stored.signature != .absent else { return nil }
    if let signed, signed.text == text || signed.text == stored.text { return nil }
    // The directory may have a value from a text that was there in between.
    if let signed, base == version, let foreign = try await past.texts(of: base, after: signed.signatureRevision),
      !foreign.contains(where: { $0 == text || Self.shares(text, with: $0, since: signed.text) })
    {
      return nil
    }
    self.version = version
    self.problem = problem
    self.signed = signed?.text
    lines = Past.difference(text, since: last, try context.schema(of: document.app)).split(separator: "\n")
      .map(String.init)
  }

  /// Whether a text has something of what another one has made of a third.
  private static func shares(_ text: [UInt8], with other: [UInt8], since base: [UInt8]) -> Bool {
    guard let text = try? TOMLDocument(parsing: text), let other = try? TOMLDocument(parsing: other),
      let base = try? TOMLDocument(parsing: base)
    else { return true }
    let foreign = other.changedPaths(since: base)
    return text.changedPaths(since: base).contains { path in
      guard foreign.contains(where: path.isRelated) else { return false }
      switch text[path] {
      case nil: return other[path] == nil
      // Some of its elements may be the other's.
      case .array?, .table?: return true
      case let value?: return value == other[path]
      }
    }
  }
}
