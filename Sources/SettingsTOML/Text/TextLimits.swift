/// The largest texts that are read.
enum TextLimits {
  /// The size of a document in bytes: 256 MB.
  static let size = 256 * 1024 * 1024
  /// How many levels of keys there may be.
  static let depth = 1024
  /// How deep brackets may be within each other in one value.
  static let bracketDepth = 128
}
