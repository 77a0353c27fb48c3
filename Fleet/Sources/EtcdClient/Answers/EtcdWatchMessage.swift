/// A change of a key.
public struct EtcdEvent: Sendable, Hashable {
  /// What happened to the key.
  public enum Kind: Sendable, Hashable {
    /// A value was stored.
    case put
    /// The key was deleted, or its lease ended. Only the key and the revision are there.
    case delete
  }

  /// What happened.
  public let kind: Kind
  /// The key as it is now.
  public let keyValue: EtcdKeyValue
}

/// What a watch reports.
public enum EtcdWatchMessage: Sendable, Hashable {
  /// The watch is set up. The revision is the newest one at that time, or older: of the member that serves the watch.
  case created(revision: Int64)
  /// Changes, in order. Changes of one revision come together.
  case events([EtcdEvent], revision: Int64)
  /// Nothing up to this revision is missing.
  case progress(revision: Int64)
  /// The revision to begin with was compacted away; the oldest one that is left. The watch is over.
  case compacted(revision: Int64)
  /// The member cancelled the watch. The watch is over.
  case cancelled(reason: String)
}
