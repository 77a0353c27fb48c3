import CSettingsSystem
import Glibc

/// The content of a file that only grows or is replaced, in memory without a copy. `mmap(2)`.
///
/// A file that is cut while it is mapped would end the process. Nothing cuts a file of the history.
///
/// The kernel reads only the pages that are used, so finding a record does not read all of a long journal.
final class MappedText: @unchecked Sendable {  // it never changes
  /// The bytes are valid as long as this object exists.
  let bytes: UnsafeRawBufferPointer
  /// The status of the file when it was opened.
  let status: FileStatus

  /// - Throws: ``Errno``.
  init(_ descriptor: CInt, path: String, system: Syscalls) throws(Errno) {
    status = try system.status(of: descriptor, path: path)
    guard status.isRegular, status.size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    bytes = UnsafeRawBufferPointer(start: try system.map(descriptor, size: status.size, path: path), count: status.size)
  }

  deinit {
    if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) }
  }

  /// A whole line without its line break, and where the next one begins; `nil` at the end and for one without an end.
  func line(at start: Int) -> (text: UnsafeRawBufferPointer, next: Int)? {
    guard start < bytes.count, let found = memchr(bytes.baseAddress! + start, 0x0A, bytes.count - start) else {
      return nil
    }
    let end = UnsafeRawPointer(found) - bytes.baseAddress!
    return (UnsafeRawBufferPointer(rebasing: bytes[start..<end]), end + 1)
  }

  /// Where the last line that begins before a place begins; `nil` at the first one.
  func lineStart(before place: Int) -> Int? {
    guard place > 0 else { return nil }
    guard place > 1, let found = memrchr(bytes.baseAddress!, 0x0A, UInt(place - 1)) else { return 0 }
    return UnsafeRawPointer(found) - bytes.baseAddress! + 1
  }

  /// Where a text occurs in a part.
  ///
  func firstPlace(of text: [UInt8], in range: Range<Int>) -> Int? {
    guard !range.isEmpty,
      let found = memmem(bytes.baseAddress! + range.lowerBound, UInt(range.count), text, UInt(text.count))
    else { return nil }
    return UnsafeRawPointer(found) - bytes.baseAddress!
  }
}
