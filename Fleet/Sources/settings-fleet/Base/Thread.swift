import Glibc

/// A thread that ends by itself.
struct Thread {
  private let stackSize: Int
  private let body: @Sendable () -> Void

  /// - Parameter stackSize: By default little: libc's own default is 8 MB of addresses.
  init(stackSize: Int = 128 << 10, _ body: @escaping @Sendable () -> Void) {
    (self.stackSize, self.body) = (stackSize, body)
  }

  /// - Returns: Whether there is such a thread now.
  @discardableResult
  func start() -> Bool {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    pthread_attr_setstacksize(&attributes, stackSize)
    let context = Unmanaged.passRetained(Box(body))
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, &attributes,
      { context in
        Unmanaged<Box>.fromOpaque(context!).takeRetainedValue().body()
        return nil
      }, context.toOpaque())
    if failure != 0 { context.release() }
    pthread_attr_destroy(&attributes)
    return failure == 0
  }

  /// Does something that may wait for a disk or take long, so that connections are served meanwhile.
  static func value<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedContinuation { continuation in
      let run: @Sendable () -> Void = { continuation.resume(returning: Result(catching: body)) }
      if !Thread(stackSize: 8 << 20, run).start() { run() }
    }.get()
  }

  /// As the one that throws.
  static func value<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      let run: @Sendable () -> Void = { continuation.resume(returning: body()) }
      if !Thread(stackSize: 8 << 20, run).start() { run() }
    }
  }

  private final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
