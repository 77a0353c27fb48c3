import AppSettings

/// Limits what one import may create: a file of a few bytes must not become gigabytes.
///
/// Each created value is charged, so a value with two references is charged twice.
package struct ImportBudget: Sendable {
  /// The size limit of an original: 16 MiB.
  static let mostInput = 16 << 20
  /// The limit of nesting.
  package static let mostNested = 128

  /// The number of values that may be created, including tables and elements of arrays.
  let mostValues: Int
  /// The bytes of text, data and keys that may be created.
  private let mostBytes: Int
  private var values = 0
  private var bytes = 0

  /// Creates a budget; by default, a million values and 64 MiB.
  package init(mostValues: Int = 1_000_000, mostBytes: Int = 64 << 20) {
    self.mostValues = mostValues
    self.mostBytes = mostBytes
  }

  /// Charges for a value.
  ///
  /// - Parameter bytes: The additional bytes of the value's text or key.
  package mutating func take(bytes: Int = 0) throws(ImportFailure) {
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
  /// The cost of a path: its text and its components.
  var cost: Int { components.reduce(0) { $0 + $1.utf8.count + 16 } }
}
