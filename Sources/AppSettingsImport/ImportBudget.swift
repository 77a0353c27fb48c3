import AppSettings

/// What one import may make, whatever its text says: a file of a few bytes must not become gigabytes.
///
/// It is charged where a value is made, so that what is referred to twice counts twice.
package struct ImportBudget: Sendable {
  /// The size up to which an original is read: 16 MiB.
  static let mostInput = 16 << 20
  /// How deep values may be nested.
  static let mostNested = 128

  /// How many values may come of it, tables and elements of arrays among them.
  let mostValues: Int
  /// How many bytes of text, data and keys may come of it.
  private let mostBytes: Int
  private var values = 0
  private var bytes = 0

  /// A million values, and 64 MiB.
  package init(mostValues: Int = 1_000_000, mostBytes: Int = 64 << 20) {
    self.mostValues = mostValues
    self.mostBytes = mostBytes
  }

  /// Charges for a value.
  ///
  /// - Parameter bytes: What it takes besides: of its text, or of its key.
  mutating func take(bytes: Int = 0) throws(ImportFailure) {
    values += 1
    self.bytes += bytes
    guard values <= mostValues else {
      throw ImportFailure(reason: "it stands for more than \(mostValues) values, which is the limit", isLimit: true)
    }
    guard self.bytes <= mostBytes else {
      throw ImportFailure(
        reason: "its values and their keys come to more than \(mostBytes) bytes, which is the limit", isLimit: true)
    }
  }
}

extension TOMLPath {
  /// What a path takes: its text, and its components.
  var cost: Int { components.reduce(0) { $0 + $1.utf8.count + 16 } }
}
