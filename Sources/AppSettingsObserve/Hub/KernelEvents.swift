package import AppSettings
internal import Glibc

/// Events straight from the kernel, without a library.
package final class KernelEvents: InotifyEvents {
  package let descriptor: CInt
  private let buffer: UnsafeMutableRawBufferPointer
  private var unread: Range<Int> = 0..<0

  /// Opens an instance.
  ///
  /// - Throws: The error number; `EMFILE` if the user has as many instances as the system allows.
  package init() throws(Errno) {
    descriptor = inotify_init1(CInt(IN_CLOEXEC) | CInt(IN_NONBLOCK))
    guard descriptor >= 0 else { throw Errno(errno) }
    buffer = .allocate(byteCount: 16 * 1024, alignment: 8)
  }

  package func next() -> InotifyEvent? {
    if unread.isEmpty {
      var count: Int
      repeat { count = read(descriptor, buffer.baseAddress!, buffer.count) } while count < 0 && errno == EINTR
      guard count > 0 else { return nil }
      unread = 0..<count
    }
    let event = UnsafeRawBufferPointer(rebasing: buffer[unread])
    let header = event.load(as: inotify_event.self)
    let size = MemoryLayout<inotify_event>.size
    // The kernel returns whole events only, and pads each name with zeros.
    let name =
      header.len == 0
      ? "" : PathText.text(event.baseAddress!.advanced(by: size).assumingMemoryBound(to: CChar.self))
    unread = (unread.lowerBound + size + Int(header.len))..<unread.upperBound
    return InotifyEvent(watch: header.wd, events: WatchEvents(rawValue: header.mask), name: name)
  }

  package func close() {
    _ = Glibc.close(descriptor)
    buffer.deallocate()
  }
}
