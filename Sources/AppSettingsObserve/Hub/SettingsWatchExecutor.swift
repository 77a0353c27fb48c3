/// Runs tasks on the thread that watches the files.
///
/// A change from outside is delivered there without a hop to another thread, which is most of the time from the change
/// to its reader:
///
/// ```swift
/// let task = Task(executorPreference: SettingsWatchExecutor.shared) {
///   for await level in settings.updates(.logLevel) { logger.setLevel(level) }
/// }
/// ```
///
/// Nothing is watched while such a task runs: it has to be short between two waits and must not block. The thread
/// starts for a job if it does not run, and ends when there is nothing to watch and nothing to do.
public final class SettingsWatchExecutor: TaskExecutor {
  /// The executor; there is one, as there is one thread.
  public static let shared = SettingsWatchExecutor()

  private init() {}

  /// Runs a job on the thread.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // Late is better than never: where no thread can be had, the pool's do it.
    if !WatchHub.shared.run(job) { globalConcurrentExecutor.enqueue(job) }
  }
}
