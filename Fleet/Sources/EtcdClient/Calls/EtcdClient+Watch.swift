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
  ///   - progressNotify: Whether the member reports its progress now and then (every 10 minutes unless configured).
  /// - Returns: The watch. A compacted revision is reported in the sequence.
  /// - Throws: ``EtcdError``.
  public func watch(_ span: EtcdSpan, from revision: Int64? = nil, progressNotify: Bool = false)
    async throws(EtcdError) -> EtcdWatch
  {
    let message = WatchMessage(span: span, revision: revision, progressNotify: progressNotify)
    let call = Call(.watch, message, .repeatable)
    return try await inTurn(.repeatable) { endpoint, token, deadline throws(EtcdError) in
      let receiver = WatchReceiver(endpoint)
      let exchange = endpoint.exchange(call, token: token, staysOpen: true, to: receiver)
      let (messages, created) = (receiver.messages, receiver.created)
      endpoint.start(exchange, deadline: deadline)
      do {
        try await exchange.wait(for: created)
      } catch {
        throw endpoint.error(error, isWrite: false)
      }
      return EtcdWatch(endpoint: endpoint.url, messages: messages, exchange: exchange)
    }
  }
}
