import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1

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
    let create = WireWatchRequest.Create(
      key: Data(span.start), range_end: span.end.map { Data($0) }, start_revision: revision.map { WireInt($0) },
      progress_notify: progressNotify ? true : nil)
    let request = WireWatchRequest(create_request: create)
    let rpc = Call(rpc: "/etcdserverpb.Watch/Watch", request, .repeatable)
    let json = try Call("/v3/watch", request, .repeatable)
    return try await inTurn(.repeatable) { endpoint, token, deadline throws(EtcdError) in
      try await WatchOpening(endpoint: endpoint, call: endpoint.isTLS ? rpc : json)
        .open(token: token, deadline: deadline)
    }
  }
}

/// Opens the stream of a watch and reads it.
///
/// Over TLS it is a gRPC stream. That of the gateway costs a member twice the memory, and the time for JSON and Base64:
/// the gateway is a gRPC client within the member.
private struct WatchOpening: Sendable {
  let endpoint: Endpoint
  let call: Call

  func open(token: String?, deadline: NIODeadline) async throws(EtcdError) -> EtcdWatch {
    // The request of the gateway has ended before the answer begins; that of gRPC stays open.
    let requests = call.isRPC ? AsyncStream.makeStream(of: ByteBuffer.self) : nil
    requests?.continuation.yield(call.body)
    let (messages, output) = AsyncThrowingStream.makeStream(of: EtcdWatchMessage.self, throwing: (any Error).self)
    let created = AsyncStream.makeStream(of: Result<Void, EtcdError>.self)
    let pump = Task { [endpoint, call] in
      let failure: EtcdError?
      do throws(EtcdError) {
        let response = try await endpoint.stream(
          call, requests: requests?.stream, token: token, deadline: deadline)
        try await forward(response, to: output) {
          created.continuation.yield(.success(()))
        }
        failure = nil
      } catch {
        failure = error
      }
      requests?.continuation.finish()
      if let failure { created.continuation.yield(.failure(failure)) }
      created.continuation.finish()
      output.finish(throwing: failure.flatMap { $0.code == .cancelled ? nil : $0 })
    }
    let watch = EtcdWatch(
      endpoint: endpoint.url, messages: messages, requests: requests?.continuation, pump: pump)
    let late = Task {
      do { try await Task.sleep(for: Duration(deadline - .now())) } catch { return false }
      pump.cancel()
      return true
    }
    let result = await withTaskCancellationHandler {
      var iterator = created.stream.makeAsyncIterator()
      return await iterator.next(isolation: #isolation)
    } onCancel: {
      pump.cancel()
    }
    late.cancel()
    if await late.value { throw EtcdError(.deadlineExceeded, "No answer came in time.", endpoint: endpoint.url) }
    switch result {
    case .success?: return watch
    case .failure(let error)?: throw error
    case nil: throw EtcdError(.cancelled, "The task was cancelled.", endpoint: endpoint.url)
    }
  }

  private func forward(
    _ response: HTTPClientResponse, to output: AsyncThrowingStream<EtcdWatchMessage, any Error>.Continuation,
    whenCreated: () -> Void
  ) async throws(EtcdError) {
    do {
      guard response.status == .ok else {
        let body = try await response.body.collect(upTo: 1 << 16)
        throw WireError(status: response.status.code, body: Array(body.readableBytesView))
      }
      var answers: any WatchAnswers = call.isRPC ? RPCWatchAnswers() : JSONWatchAnswers()
      var isCreated = false
      for try await bytes in response.body {
        for answer in try answers.append(bytes, from: endpoint.url) {
          if !isCreated {
            // A watch that is not allowed is created and cancelled in one message.
            if answer.canceled == true, answer.compact_revision == nil {
              throw WireError(reason: answer.cancel_reason ?? "The member refused the watch.")
            }
            output.yield(.created(revision: answer.header?.revision?.value ?? 0))
            isCreated = true
            whenCreated()
            if answer.canceled != true { continue }
          }
          output.yield(answer.message)
          if answer.canceled == true { return }
        }
      }
    } catch {
      throw endpoint.transportError(error, wasSent: true, isWrite: false)
    }
    if Task.isCancelled { throw EtcdError(.cancelled, "The watch was cancelled.", endpoint: endpoint.url) }
    throw EtcdError(.unavailable, "The member closed the watch's stream.", endpoint: endpoint.url)
  }
}

/// Makes answers of the bytes that a member sends.
private protocol WatchAnswers {
  mutating func append(_ bytes: ByteBuffer, from endpoint: String) throws(EtcdError) -> [WireWatchAnswer]
}

/// How long a message may be.
private let longestAnswer = 256 << 20

private struct JSONWatchAnswers: WatchAnswers {
  private var lines = LineSplitter(limit: longestAnswer)

  mutating func append(_ bytes: ByteBuffer, from endpoint: String) throws(EtcdError) -> [WireWatchAnswer] {
    let lines: [ByteBuffer]
    do throws(LineSplitter.TooLong) { lines = try self.lines.append(bytes) } catch { throw .tooLong(endpoint) }
    var answers: [WireWatchAnswer] = []
    for line in lines {
      let parsed = try line.decoded(as: WireStreamed<WireWatchAnswer>.self, endpoint: endpoint)
      if let error = parsed.error { throw error.error(endpoint: endpoint, isWrite: false) }
      if let answer = parsed.result { answers.append(answer) }
    }
    return answers
  }
}

private struct RPCWatchAnswers: WatchAnswers {
  private var frames = RPCFrames(limit: longestAnswer)

  mutating func append(_ bytes: ByteBuffer, from endpoint: String) throws(EtcdError) -> [WireWatchAnswer] {
    do {
      return try frames.append(bytes).map { try WireWatchAnswer(protobuf: $0) }
    } catch RPCFrames.Invalid.tooLong {
      throw .tooLong(endpoint)
    } catch {
      throw EtcdError(.internal, "The cluster's answer cannot be read: \(error)", endpoint: endpoint)
    }
  }
}

extension EtcdError {
  fileprivate static func tooLong(_ endpoint: String) -> EtcdError {
    EtcdError(.internal, "A message of the watch is too long.", endpoint: endpoint)
  }
}

extension WireWatchAnswer {
  fileprivate var message: EtcdWatchMessage {
    let revision = header?.revision?.value ?? 0
    if canceled == true {
      if let compact_revision { return .compacted(revision: compact_revision.value) }
      return .cancelled(reason: cancel_reason ?? "no reason given")
    }
    guard let events, !events.isEmpty else { return .progress(revision: revision) }
    let changes = events.map { event in
      EtcdEvent(
        kind: event.type == "DELETE" ? .delete : .put, keyValue: (event.kv ?? WireKeyValue()).keyValue)
    }
    return .events(changes, revision: revision)
  }
}
