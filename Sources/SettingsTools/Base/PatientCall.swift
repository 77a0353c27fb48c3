import Glibc

/// Reading and writing where a call does not do it at once.
package enum PatientCall {
  /// Whether a call is to be repeated after an error: it was interrupted, or the descriptor does not block, as the
  /// program that started this one may have set it. Then this waits until it is ready.
  package static func repeats(after error: CInt, _ event: CInt, _ descriptor: CInt) -> Bool {
    guard error == EAGAIN else { return error == EINTR }
    var ready = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    poll(&ready, 1, -1)
    return true
  }
}
