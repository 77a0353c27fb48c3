#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
  import NIOCore
  import NIOPosix
#endif

/// Runs all tasks of this process on the thread that serves its connections.
///
/// Swift's own executor uses libdispatch, which wakes up every second to count its threads as soon as it has one. A
/// mirror has nothing to do for hours. The toolchain's interface for another executor is not public: it is used with the
/// release of the toolchain that it was tried with, and all others keep their own executor.
final class LoopExecutor {
  /// Takes over all tasks that begin from now on.
  static func install() {
    #if compiler(>=6.3) && compiler(<6.4)
      _createExecutors(factory: LoopExecutor.self)
    #endif
  }

  #if compiler(>=6.3) && compiler(<6.4)
    private let loop = MultiThreadedEventLoopGroup.singleton.any()
  #endif
}

#if compiler(>=6.3) && compiler(<6.4)
  extension LoopExecutor: ExecutorFactory {
    // Nothing here is bound to the main actor.
    static let mainExecutor: any MainExecutor = UnimplementedMainExecutor()
    static let defaultExecutor: any TaskExecutor = LoopExecutor()
  }

  extension LoopExecutor: TaskExecutor, SchedulingExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func enqueue<C: Clock>(
      _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
      let job = UnownedJob(job)
      // All clocks of the library measure in it.
      let delay = delay as? Duration ?? .zero
      loop.scheduleTask(in: TimeAmount(delay)) { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
  }
#endif
