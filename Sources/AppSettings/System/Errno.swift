import Glibc

/// A system error number, `errno(3)`.
///
/// It is the value that `Glibc.errno` had after a call, before another call could change it.
package struct Errno: Error, Sendable, Hashable {
  package let rawValue: Int32
  package init(_ rawValue: Int32) { self.rawValue = rawValue }

  /// The text of `strerror(3)`. For known numbers Glibc's version is safe to call from any thread.
  package var message: String {
    String(cString: strerror(rawValue))
  }
}

extension Errno: CustomStringConvertible {
  package var description: String { message }
}
