import SettingsTOML

/// What a reader asks of a journal.
extension Journal {
  /// The settings file's text after the record with a number, as it was kept; `nil` if it is not kept any more, or
  /// damaged.
  ///
  /// It is made from the checkpoint at the beginning of the segment and the records up to this one.
  func text(after number: Int) -> [UInt8]? {
    let line = record(atLeast: number)
    guard let line, line.head?.number == number else {
      // The text with which a segment begins, where there is no record before it.
      guard let segment = segment(around: line?.place ?? end), segment.head?.number == number else { return nil }
      return HistoryLine.checkpoint(segment.text)?.text
    }
    guard let record = HistoryLine.record(line.text) else { return nil }
    guard record.isLarge else { return text(in: record.segment, upTo: line.next, number: number) }
    guard let next = self.line(at: line.next), next.isCheckpoint, next.head?.number == number else { return nil }
    return HistoryLine.checkpoint(next.text)?.text
  }

  /// The text before the record with a number.
  ///
  /// - Returns: `nil` if it is not kept any more, or damaged.
  func text(before number: Int) -> [UInt8]? {
    guard let line = record(atLeast: number), line.head?.number == number, let own = HistoryLine.record(line.text)
    else { return nil }
    return text(in: own.segment, upTo: line.place, number: number - 1)
  }

  /// The text that a segment leads to.
  ///
  /// - Parameter number: That of the last record before `end`, or of the checkpoint if there is none.
  private func text(in segment: Int, upTo end: Int, number: Int) -> [UInt8]? {
    guard let line = line(at: segment), let checkpoint = HistoryLine.checkpoint(line.text) else { return nil }
    var bytes = checkpoint.text
    var last = checkpoint.head.number
    for record in records(from: line.next, to: end) {
      // One that is missing was damaged.
      guard record.segment == segment, record.number == last + 1, !record.isLarge,
        let next = record.text.applied(to: bytes)
      else { return nil }
      (bytes, last) = (next, record.number)
    }
    return last == number ? bytes : nil
  }

  /// For each path that was changed before a segment, where the last segment that did it begins.
  func index(of segment: Int) -> [String: Int] {
    guard let checkpoint = line(at: segment), let line = line(at: checkpoint.next),
      let index = HistoryLine.index(line.text)
    else { return [:] }
    return Dictionary(index, uniquingKeysWith: { $1 })
  }

  /// The records before a place that hold for a condition, the newest first.
  ///
  /// - Parameters:
  ///   - place: The place before which the search begins.
  ///   - first: The segment that the place is in, if it is known.
  ///   - paths: Only records that changed a value at, above or below one of these; `nil` for all.
  ///   - time: Only records that are not older, in milliseconds since 1970. Those before one that is older may be
  ///     later, because clocks are set. Undos and redos count whatever their time.
  ///   - body: Gets one after the other; returns whether to go on.
  func visitRecords(
    before place: Int, in first: Line? = nil, touching paths: [TOMLPath]?, since time: Int,
    _ body: (HistoryRecord) throws -> Bool
  ) rethrows {
    func isWanted(_ line: Line) -> Bool {
      time == .min || HistoryLine.time(of: line.text) ?? 0 >= time
        || firstPlace(of: HistoryLine.reversalStart, from: line.place, to: line.next) != nil
    }
    guard let paths else {
      var place = place
      while let line = last(before: place, where: { $0.isRecord && isWanted($0) }) {
        if let record = HistoryLine.record(line.text), try !body(record) { return }
        place = line.place
      }
      return
    }
    let needles = Self.needles(of: paths)
    var (end, known) = (place, first)
    while let segment = known ?? segment(around: end) {
      known = nil
      for line in lines(with: needles, from: segment.next, to: end).reversed() {
        guard isWanted(line), let record = HistoryLine.record(line.text),
          record.changes.contains(where: { change in paths.contains { change.path.isRelated(to: $0) } })
        else { continue }
        if try !body(record) { return }
      }
      guard let next = earlierSegment(touching: paths, than: segment) else { return }
      end = segmentEnd(next)
    }
  }

  /// The texts with which changes at, above or below paths begin in a line.
  private static func needles(of paths: [TOMLPath]) -> [[UInt8]] {
    paths.flatMap { path -> [[UInt8]] in
      let above = ([.root] + path.prefixes).map { HistoryLine.quoted($0.description) }
      let below = path.isRoot ? [UInt8(ascii: "\"")] : above[path.components.count].dropLast() + [UInt8(ascii: ".")]
      return (above + [below]).map { [UInt8(ascii: "[")] + $0 }
    }
  }

  /// The lines of records in a part of a segment that have one of some texts, in order.
  ///
  /// Other lines are not parsed.
  private func lines(with needles: [[UInt8]], from start: Int, to end: Int) -> [Line] {
    var places: Set<Int> = []
    for needle in needles {
      var from = start
      while from < end, let found = firstPlace(of: needle, from: from, to: end) {
        let line = line(at: lineStart(at: found))
        if let line, line.isRecord { places.insert(line.place) }
        from = max(line?.next ?? end, from + 1)
      }
    }
    return places.sorted().compactMap { line(at: $0) }
  }

  /// The beginning of the last segment before one that changed a value at, above or below one of some paths.
  private func earlierSegment(touching paths: [TOMLPath], than segment: Line) -> Int? {
    guard let index = line(at: segment.next), HistoryLine.body(of: index.text) != nil else { return nil }
    var newest: Int?
    for needle in Self.needles(of: paths) {
      var from = index.place
      while let found = firstPlace(of: Array(needle.dropFirst()), from: from, to: index.next) {
        from = found + 1
        guard let entry = HistoryLine.indexEntry(index.text, at: found - index.place),
          start..<segment.place ~= entry.segment,
          let path = entry.path.isEmpty ? .root : try? TOMLPath(parsing: entry.path),
          paths.contains(where: { path.isRelated(to: $0) })
        else { continue }
        newest = max(newest ?? 0, entry.segment)
      }
    }
    return newest
  }
}
