/// Runs tasks on the thread that watches the files.
///
/// A task that prefers this executor gets a change from outside without a hop to another thread. The hop takes most of
/// the time between a change and its reader:
///
/// ```swift
/// let task = Task(executorPreference: SettingsWatchExecutor.shared) {
///   for await level in settings.updates(.logLevel) { logger.setLevel(level) }
/// }
/// ```
///
/// Nothing is watched while such a task runs: it must not block, and must be short between two suspensions. The thread
/// starts for a job if it is not running, and ends when nothing is left to watch or to do.
public final class SettingsWatchExecutor: TaskExecutor {
  /// The shared executor, for the one thread.
  public static let shared = SettingsWatchExecutor()

  private init() {}

  /// Runs a job on the thread, or on the global executor if the thread cannot be started.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    // If no thread can be started, the job runs late on the global executor instead of never.
    if !WatchHub.shared.run(job) { globalConcurrentExecutor.enqueue(job) }
  }
}
