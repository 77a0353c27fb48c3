extension EtcdClient {
  /// Reads keys and their values.
  ///
  /// - Parameter range: What to read. Unless it is serializable, the answer is not older than the call.
  /// - Returns: The keys, in order.
  /// - Throws: ``EtcdError``.
  public func range(_ range: EtcdRange) async throws(EtcdError) -> EtcdRangeResponse {
    try await call(.range, range.message, .repeatable, needsLeader: !range.isSerializable)
  }

  /// Reads keys and their values in pages, all at one revision. Each page has a deadline of its own.
  ///
  /// - Parameters:
  ///   - range: What to read. Its limit is ignored.
  ///   - pageSize: How many keys to read at once at most. Fewer are if the values are large: about a megabyte.
  /// - Returns: The keys, in order. The header is the one of the first page, with the revision that was read.
  /// - Throws: ``EtcdError``; code `compacted` if the revision was compacted away between two pages.
  public func rangeAll(_ range: EtcdRange, pageSize: Int = 1000) async throws(EtcdError) -> EtcdRangeResponse {
    precondition(pageSize > 0, "A page has at least one key.")
    var page = range
    page.limit = min(pageSize, 16)
    let first = try await self.range(page)
    var keyValues = first.keyValues
    var latest = first
    page.revision = range.revision ?? first.header.revision
    while latest.more, let last = latest.keyValues.last {
      let bytes = latest.keyValues.reduce(0) { $0 + $1.key.count + $1.value.count }
      let average = max(1, bytes / latest.keyValues.count)
      page.limit = max(1, min(pageSize, (1 << 20) / average))
      page.span = range.span.after(last.key)
      latest = try await self.range(page)
      keyValues += latest.keyValues
    }
    return EtcdRangeResponse(header: first.header, keyValues: keyValues, count: first.count, more: false)
  }

  /// Makes several writes at once, if all comparisons hold.
  ///
  /// - Parameters:
  ///   - transaction: What to compare, and what to do.
  ///   - isRepeatable: Whether it may be sent to another member when its outcome is not known: it does no harm twice, or its
  ///     comparisons do not hold after it was carried out. Then nobody waits for a member that does not answer.
  /// - Returns: Whether the comparisons held, and what the steps answered.
  /// - Throws: ``EtcdError``. Nothing is written unless ``EtcdError/mayHaveHappened``, or it is repeatable.
  @discardableResult
  public func transaction(
    _ transaction: EtcdTransaction, isRepeatable: Bool = false
  ) async throws(EtcdError) -> EtcdTransactionResponse {
    try await call(.transaction, transaction.message, transaction.writes && !isRepeatable ? .write : .repeatable)
  }

  /// Stores a value.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value.
  ///   - lease: The lease that the key goes with; 0 for none.
  /// - Returns: The revision that the write made.
  /// - Throws: ``EtcdError``.
  @discardableResult
  public func put(_ key: String, _ value: [UInt8], lease: Int64 = 0) async throws(EtcdError) -> Int64 {
    let message: OutgoingMessage = [1: .text(key), 2: .bytes(value), 3: .number(lease)]
    return try await call(.put, message, .write, as: HeaderAnswer.self).header.revision
  }

  /// Stores a value.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value, as text.
  ///   - lease: The lease that the key goes with; 0 for none.
  /// - Returns: The revision that the write made.
  /// - Throws: ``EtcdError``.
  @discardableResult
  public func put(_ key: String, _ value: String, lease: Int64 = 0) async throws(EtcdError) -> Int64 {
    try await put(key, Array(value.utf8), lease: lease)
  }

  /// Deletes keys.
  ///
  /// - Parameter span: The keys.
  /// - Returns: How many were deleted.
  /// - Throws: ``EtcdError``.
  @discardableResult
  public func delete(_ span: EtcdSpan) async throws(EtcdError) -> Int {
    try await call(.deleteRange, span.message, .write, as: DeleteAnswer.self).count
  }

  /// Forgets all revisions before one, except the newest of each key.
  ///
  /// - Parameters:
  ///   - revision: The oldest revision that stays readable.
  ///   - waits: Whether to return only when the space is free for new revisions.
  /// - Throws: ``EtcdError``; code `compacted` if that was done before, `futureRevision` if it is too new.
  public func compact(revision: Int64, waits: Bool = false) async throws(EtcdError) {
    _ = try await call(.compact, [1: .number(revision), 2: .flag(waits)], .write, as: HeaderAnswer.self)
  }
}
