/// The last segment of a journal, and the last record.
///
/// Nothing before the last undamaged checkpoint is read.
struct JournalEnd {
  let segment: Journal.Line
  let checkpoint: HistoryCheckpoint.Head
  /// The last record, if it is in the segment.
  let last: HistoryRecord?
  /// The number of the last record that is there.
  let number: Int
  /// Whether no text follows from it: records of the segment are damaged, or its checkpoint is.
  let isBroken: Bool
  /// Whether that is not to be seen from the numbers.
  let hasLost: Bool
  /// How many records were behind it that are damaged, as far as they show.
  private let damaged: Int

  /// The highest number in use: one that was shown is not used again, also if its record is damaged.
  ///
  /// - Parameter last: What the last writer knew.
  func number(showing last: JournalState?) -> Int {
    guard damaged > 0 || last?.number ?? 0 > number else { return number }
    return max(number + damaged, last?.reserved ?? 0)
  }

  /// - Returns: `nil` if there is no undamaged checkpoint.
  init?(of journal: Journal) {
    guard let segment = journal.segment(around: journal.end), let checkpoint = HistoryLine.checkpointHead(segment.text)
    else { return nil }
    self.segment = segment
    self.checkpoint = checkpoint
    var (number, count, damaged) = (checkpoint.number, 0, 0)
    var last: Journal.Line?
    for line in journal.lines(from: segment.next, to: journal.end) {
      guard HistoryLine.body(of: line.text) != nil else {
        // Two in one, if it is the line break.
        damaged += line.text.isEmpty ? 0 : max(1, journal.count(of: HistoryLine.recordStart, in: line))
        continue
      }
      if line.isRecord { (number, count, last) = (line.head?.number ?? number, count + 1, line) }
      damaged = 0
    }
    self.number = number
    self.damaged = damaged
    self.last = last.flatMap { HistoryLine.record($0.text) }
    let isComplete = number == checkpoint.number + count
    let isChained = self.last.map { $0.segment == segment.place && !$0.isLarge } ?? true
    isBroken = !isComplete || !isChained
    hasLost = isComplete && !isChained
  }
}
