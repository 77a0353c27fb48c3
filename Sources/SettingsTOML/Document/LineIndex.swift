/// Where the lines of a text begin, for finding many positions in it.
///
/// Finding one position means counting from the start of the text, so many would take quadratic time. With the index
/// each takes logarithmic time in the number of lines, however long those are.
package struct LineIndex: Sendable {
  /// The offset at which each line begins, after a byte order mark.
  private var starts: [Int]
  /// The number of Unicode scalars before each block.
  private var scalarCounts: [Int] = []

  private static let blockSize = 512

  /// Makes the index of a text.
  package init(of bytes: [UInt8]) {
    starts = [bytes.starts(with: Byte.byteOrderMark) ? 3 : 0]
    scalarCounts.reserveCapacity(bytes.count / Self.blockSize + 1)
    bytes.withUnsafeBufferPointer { bytes in
      var count = 0
      for at in bytes.indices {
        if at % Self.blockSize == 0 { scalarCounts.append(count) }
        if Self.beginsScalar(bytes[at]) { count += 1 }
        if bytes[at] == Byte.newline { starts.append(at + 1) }
      }
      if bytes.count % Self.blockSize == 0 { scalarCounts.append(count) }
    }
  }

  /// The position of an offset in the text of the index.
  package func position(of offset: Int, in bytes: [UInt8]) -> TOMLPosition {
    let line = max(1, starts.firstPlace { $0 > offset })
    let column = scalarCount(before: offset, in: bytes) - scalarCount(before: starts[line - 1], in: bytes) + 1
    return TOMLPosition(line: line, column: column, byteOffset: offset)
  }

  private func scalarCount(before offset: Int, in bytes: [UInt8]) -> Int {
    let block = offset / Self.blockSize
    return bytes[block * Self.blockSize..<offset].reduce(scalarCounts[block]) {
      $0 + (Self.beginsScalar($1) ? 1 : 0)
    }
  }

  private static func beginsScalar(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}

extension TOMLDocument {
  /// Does the same as ``position(of:)``, for many places of one document.
  ///
  /// - Parameter index: The index of this document's text.
  package func position(of path: TOMLPath, by index: LineIndex) -> TOMLPosition? {
    find(path).map { index.position(of: Int(tree[$0].start), in: bytes) }
  }
}
