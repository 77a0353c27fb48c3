/// Whose signatures count. Machines take documents by this rule, and writers edit them by it.
public struct Trust: Hashable, Sendable {
  /// The keys whose signatures count. Without any, a document needs no signature.
  public let keys: [VerificationKey]

  /// Trusts these keys.
  public init(_ keys: [VerificationKey]) { self.keys = keys }

  /// Whether a document has to be signed.
  public var isRequired: Bool { !keys.isEmpty }

  /// Why a version of a document is not to be trusted; `nil` if a trusted key has signed it, or no signature is required.
  public func problem(with stored: StoredDocument, of document: FleetDocument, version: Int) -> FleetProblem? {
    guard isRequired else { return nil }
    switch stored.signature {
    case .absent: return FleetProblem(.unsigned, "'\(document)' is not signed.")
    case .unreadable: return FleetProblem(.badSignature, "The signature of '\(document)' cannot be read.")
    case .present(let signature):
      return problem(
        with: signature, of: .document(document, version: version, text: stored.digest), document,
        changedAfter: stored.modRevision > stored.signatureRevision)
    }
  }

  /// Why a rollout is not to be trusted; `nil` if a trusted key has signed it, or no signature is required.
  public func problem(with rollout: Rollout, of document: FleetDocument) -> FleetProblem? {
    guard isRequired else { return nil }
    guard let signature = rollout.signature else {
      return FleetProblem(.unsigned, "The rollout of '\(document)' is not signed.")
    }
    return problem(with: signature, of: .rollout(app: document.app, rollout), document)
  }

  /// Whether a mark is to be trusted: a trusted key has signed it, or no signature is required.
  func accepts(_ mark: AppliedMark, of document: FleetDocument, version: Int) -> Bool {
    guard isRequired else { return true }
    let statement = Statement.applied(document, version: version, mark)
    return mark.signature.map { problem(with: $0, of: statement, document) == nil } ?? false
  }

  /// Whether a mark is of a text as it was signed last, and not one of an earlier time that somebody has put back.
  func isNewest(_ mark: AppliedMark, beside stored: StoredDocument) -> Bool {
    guard isRequired else { return true }
    guard case .present(let signature) = stored.signature else { return false }
    return mark.signature?.serial == signature.serial
  }

  /// Why a signature of a statement is not to be trusted; `nil` if it is right.
  func problem(
    with signature: DocumentSignature, of statement: Statement, _ document: FleetDocument, changedAfter: Bool = false
  ) -> FleetProblem? {
    guard let key = keys.first(where: { $0.id == signature.key }) else {
      return FleetProblem(
        .badSignature, "'\(document)' is signed with the key \(signature.key), which is not trusted here.")
    }
    guard key.verifies(signature, of: statement) else {
      return FleetProblem(
        .badSignature,
        changedAfter
          ? "'\(document)' was changed after it was signed."
          : "The signature of '\(document)' is not of this text, or was made for another document.")
    }
    return nil
  }
}
