/// The disk at one moment of a recording: what is certainly on it, and what may be.
final class CrashMoment {
  private let model: DiskModel
  private let events: ArraySlice<DiskModel.Event>
  private let promise: CrashEnumerator.Promise
  private let limit: Int

  /// For each inode the number of events up to which it is on disk.
  private var synced: [Int: Int] = [:]
  private var syncedAll = 0
  /// The directories' pending entries: all that each name may lead to, the safe one first.
  private var entries: [Int: [String: [Int?]]] = [:]
  private var changes: [Int: [(index: Int, change: DiskModel.Change)]] = [:]
  private var contents: [Int: [[UInt8]]] = [:]
  /// Whether all contents that a file may have are tried.
  private(set) var isExhaustive = true

  init(_ model: DiskModel, after moment: Int, promise: CrashEnumerator.Promise, limit: Int) {
    self.model = model
    self.promise = promise
    self.limit = limit
    events = model.events[..<moment]
    for event in events {
      switch event.change {
      case .sync(let inode, let line):
        synced[inode] = max(synced[inode] ?? 0, covered(line))
        // One journal: what is synced takes along all changes of directories before it.
        if promise == .ext4 { syncedAll = max(syncedAll, covered(line)) }
      case .syncAll(let line):
        syncedAll = max(syncedAll, covered(line))
        for inode in model.inodes.indices { synced[inode] = max(synced[inode] ?? 0, covered(line)) }
      case .entry, .write, .resize: break
      }
    }
    for (index, event) in events.enumerated() {
      switch event.change {
      case .write(let inode, _, _), .resize(let inode, _): changes[inode, default: []].append((index, event.change))
      case .entry(let directory, let name, let inode):
        var values = entries[directory, default: [:]][name] ?? [model.inodes[directory].initialEntries[name]]
        if index < max(synced[directory] ?? 0, promise == .ext4 ? syncedAll : 0) {
          values = [inode]
        } else if !values.contains(inode) {
          values.append(inode)
        }
        entries[directory, default: [:]][name] = values
      case .sync, .syncAll: break
      }
    }
  }

  /// How many events ended before a line.
  private func covered(_ line: Int) -> Int { events.prefix { $0.line < line }.count }

  /// Builds one state of the disk; `oracle` decides which of the pending changes it has.
  func state(_ oracle: inout ChoiceOracle) -> DiskTree {
    switch promise {
    case .weak: weakState(&oracle)
    case .ext4: orderedState(&oracle)
    }
  }

  // MARK: Weak

  private func weakState(_ oracle: inout ChoiceOracle) -> DiskTree {
    var oracleCopy = oracle
    defer { oracle = oracleCopy }
    var chosen: [Int: [UInt8]] = [:]
    return DiskTree(
      from: model,
      entries: { directory in
        var result = self.model.inodes[directory].initialEntries
        for (name, values) in (self.entries[directory] ?? [:]).sorted(by: { $0.key < $1.key }) {
          result[name] = values[oracleCopy.choose(values.count)]
        }
        return result
      },
      content: { inode in
        if let bytes = chosen[inode] { return bytes }
        let all = self.weakContents(of: inode)
        let bytes = all[oracleCopy.choose(all.count)]
        chosen[inode] = bytes
        return bytes
      })
  }

  /// All contents that a file may have.
  private func weakContents(of inode: Int) -> [[UInt8]] {
    if let known = contents[inode] { return known }
    var bytes = model.inodes[inode].initialBytes
    let safe = synced[inode] ?? 0
    var pending: [DiskModel.Change] = []
    for (index, change) in changes[inode] ?? [] {
      if index < safe { change.apply(to: &bytes) } else { pending.append(change) }
    }
    let size = CrashEnumerator.blockSize
    var sizes: [Int] = [bytes.count]
    var blocks: [Int: [[UInt8]]] = [:]
    let zeros = [UInt8](repeating: 0, count: size)
    func block(_ index: Int) -> [UInt8] {
      var block = Array(bytes.dropFirst(index * size).prefix(size))
      block.resize(to: size)
      return block
    }
    for index in 0..<(bytes.count + size - 1) / size { blocks[index] = [block(index)] }
    for change in pending {
      let before = bytes.count
      change.apply(to: &bytes)
      for index in change.blocks(before: before) {
        for version in [zeros, block(index)] where index * size < Swift.max(before, bytes.count) {
          // What lies beyond the end of a file reads as zero.
          if version == zeros, index * size < before, !change.zeroes { continue }
          if blocks[index, default: []].contains(version) == false { blocks[index, default: []].append(version) }
        }
      }
      for end in change.ends(before: before) where !sizes.contains(end) { sizes.append(end) }
    }
    var all: Set<[UInt8]> = []
    // All contents of a large file would not fit in memory.
    let most = Swift.max(16, Swift.min(limit, (64 << 20) / Swift.max(1, bytes.count)))
    func content(_ end: Int, _ oracle: inout ChoiceOracle) -> [UInt8] {
      var content: [UInt8] = []
      for index in 0..<(end + size - 1) / size {
        let versions = blocks[index] ?? [zeros]
        content += versions[oracle.choose(versions.count)]
      }
      content.resize(to: end)
      return content
    }
    for end in sizes {
      var oracle = ChoiceOracle()
      var count = 0
      repeat {
        oracle.rewind()
        all.insert(content(end, &oracle))
        count += 1
      } while oracle.advance() && count < most
      guard oracle.hasMore else { continue }
      isExhaustive = false
      for number in 0..<most {
        var drawn = ChoiceOracle(drawing: UInt64(number))
        all.insert(content(end, &drawn))
      }
    }
    let sorted = all.sorted { $0.lexicographicallyPrecedes($1) }
    contents[inode] = sorted
    return sorted
  }

  // MARK: Ordered

  private func orderedState(_ oracle: inout ChoiceOracle) -> DiskTree {
    // The journal ends between two calls.
    let lines = Array(Set(events.dropFirst(syncedAll).filter(\.change.isJournaled).map(\.line))).sorted()
    let last = oracle.choose(lines.count + 1)
    let journal = last == 0 ? syncedAll : covered(lines[last - 1] + 1)
    var directories: [Int: [String: Int]] = [:]
    /// What was written to a file before it was renamed over another.
    var flushed: [Int: Int] = [:]
    for (index, event) in events[..<journal].enumerated() {
      guard case .entry(let directory, let name, let inode) = event.change else { continue }
      let known = directories[directory] ?? model.inodes[directory].initialEntries
      if let inode, known[name] != nil, event.name.hasPrefix("rename") { flushed[inode] = index }
      directories[directory, default: known][name] = inode
    }
    var oracleCopy = oracle
    defer { oracle = oracleCopy }
    return DiskTree(
      from: model,
      entries: { directories[$0] ?? self.model.inodes[$0].initialEntries },
      content: { inode in
        let safe = max(self.synced[inode] ?? 0, flushed[inode] ?? 0)
        return self.orderedContent(of: inode, safe: safe, journal: journal, &oracleCopy)
      })
  }

  private func orderedContent(
    of inode: Int, safe: Int, journal: Int, _ oracle: inout ChoiceOracle
  ) -> [UInt8] {
    var bytes = model.inodes[inode].initialBytes
    var isCut = false
    for (index, change) in changes[inode] ?? [] {
      if index < safe {
        change.apply(to: &bytes)
        continue
      }
      switch change {
      case .resize:
        // What follows a truncation that is not on disk is not there either.
        guard index < journal else { return bytes }
        // Blocks that were not there yet when the file was cut short are not written any more.
        if !isCut { change.apply(to: &bytes) } else if case .resize(_, let size) = change { bytes.resize(to: size) }
        isCut = false
      case .write(_, let offset, let data):
        for piece in Self.pieces(of: data, at: offset) {
          if piece.offset < bytes.count {
            if oracle.choose(2) == 1 { continue }
          } else if isCut || oracle.choose(2) == 1 {
            isCut = true
            continue
          }
          bytes.overwrite(with: piece.bytes, at: piece.offset)
        }
      case .entry, .sync, .syncAll: break
      }
    }
    return bytes
  }

  private static func pieces(of data: [UInt8], at offset: Int) -> [(offset: Int, bytes: ArraySlice<UInt8>)] {
    var result: [(Int, ArraySlice<UInt8>)] = []
    var start = 0
    while start < data.count {
      let end = min(data.count, start + CrashEnumerator.blockSize - (offset + start) % CrashEnumerator.blockSize)
      result.append((offset + start, data[start..<end]))
      start = end
    }
    return result
  }
}

extension DiskModel.Change {
  /// Whether ext4 writes it to its journal, in order.
  var isJournaled: Bool {
    switch self {
    case .entry, .resize: true
    case .write, .sync, .syncAll: false
    }
  }

  func apply(to bytes: inout [UInt8]) {
    switch self {
    case .write(_, let offset, let data): bytes.overwrite(with: data, at: offset)
    case .resize(_, let size): bytes.resize(to: size)
    case .entry, .sync, .syncAll: break
    }
  }

  /// Whether it may leave zeros where something stood.
  var zeroes: Bool {
    if case .resize = self { return true }
    return false
  }

  /// The blocks that it changes.
  func blocks(before: Int) -> Range<Int> {
    let size = CrashEnumerator.blockSize
    switch self {
    case .write(_, let offset, let data):
      // A hole between the end and the offset is of zeros.
      return min(offset, before) / size..<(offset + data.count + size - 1) / size
    case .resize(_, let end): return min(end, before) / size..<(max(end, before) + size - 1) / size
    case .entry, .sync, .syncAll: return 0..<0
    }
  }

  /// The sizes that the file has on the way.
  func ends(before: Int) -> [Int] {
    switch self {
    case .write(_, let offset, let data):
      let end = offset + data.count
      guard end > before else { return [] }
      let size = CrashEnumerator.blockSize
      return (before / size + 1..<end / size + 1).map { $0 * size }.filter { $0 > before && $0 < end } + [end]
    case .resize(_, let end): return [end]
    case .entry, .sync, .syncAll: return []
    }
  }
}
