/// What a role may do with some keys.
public struct EtcdPermission: Sendable, Hashable {
  /// The kinds of access.
  public enum Access: Sendable, Hashable {
    /// To read and watch.
    case read
    /// To write and delete.
    case write
    /// Both.
    case readWrite
  }

  /// The kind of access.
  public var access: Access
  /// The keys.
  public var span: EtcdSpan

  /// Creates a permission.
  ///
  /// - Parameters:
  ///   - access: The kind of access.
  ///   - span: The keys.
  public init(_ access: Access, _ span: EtcdSpan) {
    self.access = access
    self.span = span
  }
}
