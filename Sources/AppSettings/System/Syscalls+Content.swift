import CSettingsSystem
import Glibc

/// Calls on the content of open files.
extension Syscalls {
  /// Goes back to the beginning of an open file, `lseek(2)`.
  package func rewind(_ descriptor: CInt) throws(Errno) {
    _ = try retry { Int(lseek(descriptor, 0, SEEK_SET)) }
  }

  /// Reads a regular file to the end, with `limit` + 1 bytes at the most.
  package func readAll(_ descriptor: CInt, path: String, expecting size: Int, limit: Int) throws(Errno) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      // One byte more than expected: a short read then marks the end, and no second read is needed.
      let chunk = bytes.isEmpty && size > 0 ? size + 1 : 1 << 16
      let allowed = try step(.read, path) ?? chunk
      var failure: Errno?
      let wanted = min(chunk, allowed, limit + 1 - bytes.count)
      let added = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        do throws(Errno) {
          count = try retry { Glibc.read(descriptor, buffer.baseAddress, wanted) }
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      if bytes.isEmpty { bytes = added } else { bytes += added }
      if added.isEmpty || added.count < wanted && bytes.count >= size { break }
    }
    return bytes
  }

  /// The last byte of an open file with a size, `pread(2)`.
  func lastByte(of descriptor: CInt, size: Int, path: String) throws(Errno) -> UInt8 {
    try step(.read, path)
    var byte: UInt8 = 0
    _ = try retry { pread(descriptor, &byte, 1, size - 1) }
    return byte
  }

  /// The content of an open file in memory, `mmap(2)`. The caller unmaps it.
  func map(_ descriptor: CInt, size: Int, path: String) throws(Errno) -> UnsafeRawPointer {
    try step(.read, path)
    guard let start = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
      throw Errno(errno)
    }
    return UnsafeRawPointer(start)
  }

  /// Writes every byte.
  ///
  /// A write beyond the process's limit on file sizes (`RLIMIT_FSIZE`, `setrlimit(2)`) throws `EFBIG`. The kernel also
  /// sends the writing thread a signal, `SIGXFSZ`, that would end the process. Blocking it in this thread and removing
  /// it there does not affect other threads or the process's own handling of it.
  package func writeAll(_ bytes: [UInt8], to descriptor: CInt, path: String) throws(Errno) {
    var limitSignal = sigset_t()
    var former = sigset_t()
    sigemptyset(&limitSignal)
    sigaddset(&limitSignal, SIGXFSZ)
    pthread_sigmask(SIG_BLOCK, &limitSignal, &former)
    defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
    var offset = 0
    while offset < bytes.count {
      do {
        let allowed = try step(.write, path) ?? Int.max
        let count = min(bytes.count - offset, allowed)
        offset += try retry {
          bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + offset, count) }
        }
      } catch {
        if error.rawValue == EFBIG {
          var noTime = timespec()
          _ = sigtimedwait(&limitSignal, nil, &noTime)
        }
        throw error
      }
    }
  }

  /// Whether any process has a file open for writing, or mapped so; `nil` if the kernel does not say.
  ///
  /// The kernel refuses a read lease (`fcntl(2)`, "File leases") with `EAGAIN` while the file is open for writing. A
  /// lease requires an own file or `CAP_LEASE`, and a file system with leases. It is released at once: a process that
  /// opens the file at that moment waits for microseconds, and the kernel then sends this process `SIGURG`, which does
  /// nothing by default, instead of `SIGIO`, which would end it.
  ///
  /// - Parameter descriptor: The file, opened for reading only.
  package func isOpenForWriting(_ descriptor: CInt, path: String) -> Bool? {
    do throws(Errno) { try step(.lease, path) } catch { return nil }
    _ = fcntl(descriptor, CInt(CSETTINGS_F_SETSIG), SIGURG)
    if fcntl(descriptor, CInt(CSETTINGS_F_SETLEASE), F_RDLCK) == 0 {
      _ = fcntl(descriptor, CInt(CSETTINGS_F_SETLEASE), F_UNLCK)
      return false
    }
    return errno == EAGAIN ? true : nil
  }
}
