import NIOCore

extension EtcdClient {
  /// Watches keys. Returns when the member has set up the watch, within the deadline of a call.
  ///
  /// ```swift
  /// let watch = try await client.watch(.prefix("/app-settings/1/"), from: revision + 1)
  /// for try await message in watch { … }
  /// ```
  ///
  /// - Parameters:
  ///   - span: The keys.
  ///   - revision: The first revision to report changes of; if `nil`, changes from now on.
  /// - Returns: The watch. A compacted revision is reported in the sequence.
  /// - Throws: ``EtcdError``.
  public func watch(_ span: EtcdSpan, from revision: Int64? = nil) async throws(EtcdError) -> EtcdWatch {
    try await watch([span], from: revision)
  }

  /// Watches several spans of keys over one stream. Changes of one revision come together for each span.
  ///
  /// - Parameters:
  ///   - spans: The keys: one span at least.
  ///   - revision: The first revision to report changes of; if `nil`, changes from now on.
  /// - Returns: The watch, when all spans are watched.
  /// - Throws: ``EtcdError``.
  public func watch(_ spans: [EtcdSpan], from revision: Int64? = nil) async throws(EtcdError) -> EtcdWatch {
    let messages = spans.map { $0.watchMessage(from: revision) }
    guard let first = messages.first else { throw EtcdError(.invalidArgument, "No keys are given.") }
    let call = Call(.watch, first, .repeatable)
    return try await inTurn(.repeatable) { endpoint, token, deadline throws(EtcdError) in
      let receiver = WatchReceiver(endpoint, spans: spans.count)
      let exchange = endpoint.exchange(
        call, token: token, staysOpen: true, following: messages.dropFirst().map { RPCFrames.frame($0.protobuf) },
        to: receiver)
      let (reports, backlog, created) = (receiver.messages, receiver.backlog, receiver.created)
      endpoint.start(exchange, deadline: deadline)
      do {
        try await exchange.wait(for: created)
      } catch {
        throw endpoint.error(error, isWrite: false)
      }
      return EtcdWatch(endpoint: endpoint.url, messages: reports, backlog: backlog, exchange: exchange)
    }
  }
}
