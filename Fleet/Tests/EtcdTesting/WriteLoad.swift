public import EtcdClient

/// Measures how many values a cluster stores in a second.
public struct WriteLoad: Sendable {
  /// How many tasks write at once.
  public let writers: Int
  /// How many values were stored.
  public let writes: Int
  /// How many calls failed.
  public let failures: Int
  /// Why the first one of a writer failed.
  public let firstFailure: EtcdError?
  /// How long it took.
  public let duration: Duration
  /// How long each call took, sorted.
  public let latencies: [Duration]

  /// Values stored in a second.
  public var writesPerSecond: Double { Double(writes) / (duration / .seconds(1)) }

  /// The time that a share of the calls did not exceed.
  ///
  /// - Parameter share: The share, from 0 to 1.
  public func latency(at share: Double) -> Duration {
    latencies.isEmpty ? .zero : latencies[min(latencies.count - 1, Int(Double(latencies.count) * share))]
  }

  /// Writes until the time is over. Each writer has a key of its own, and writes at least once.
  ///
  /// - Parameters:
  ///   - writers: How many tasks write at once.
  ///   - duration: How long they write.
  ///   - client: The client, which all share.
  ///   - prefix: What the keys begin with.
  ///   - value: What is stored.
  public static func measure(
    writers: Int, for duration: Duration, with client: EtcdClient, prefix: String = "load/", value: [UInt8]
  ) async -> WriteLoad {
    let start = ContinuousClock.now
    let results = await withTaskGroup(of: (latencies: [Duration], failures: [EtcdError]).self) { group in
      for writer in 0..<writers {
        group.addTask {
          var latencies: [Duration] = []
          var failures: [EtcdError] = []
          repeat {
            let begin = ContinuousClock.now
            do throws(EtcdError) {
              try await client.put("\(prefix)\(writer)", value)
              latencies.append(.now - begin)
            } catch {
              failures.append(error)
            }
          } while .now < start + duration
          return (latencies, failures)
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let latencies = results.flatMap(\.latencies)
    return WriteLoad(
      writers: writers, writes: latencies.count, failures: results.reduce(0) { $0 + $1.failures.count },
      firstFailure: results.lazy.compactMap(\.failures.first).first,
      duration: .now - start, latencies: latencies.sorted())
  }
}
