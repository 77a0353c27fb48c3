/// An operator's word that machines may follow a cluster although it is another one, or older, than before.
///
/// It holds for the cluster that it names. A machine uses it at most once. An acceptance that a machine sees while
/// nothing is wrong counts as used, so that it does not let the machine follow the next backup that is restored.
public struct Acceptance: Hashable, Sendable, Codable {
  /// A random id, with the characters of a name.
  public let id: String
  /// The cluster that it is for.
  public let cluster: ClusterID
  /// When it was made, as in RFC 3339. For people.
  public let created: String

  /// Makes an acceptance.
  ///
  /// - Parameters:
  ///   - id: A random id, with the characters of a name. Others are never accepted.
  ///   - cluster: The cluster that it is for.
  ///   - created: The time, as in RFC 3339.
  public init(id: String, cluster: ClusterID, created: String) {
    self.id = id
    self.cluster = cluster
    self.created = created
  }

  /// The value for ``FleetKey/accept``.
  public var json: [UInt8] { FleetJSON.encode(self) }
}
