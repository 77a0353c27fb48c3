/// A reader that knows nothing of the system beside a writer that never rests.
extension Suite {
  func tornReads() {
    var table = Table(
      "A raw reader beside a writer",
      "`open`, `read` to the end, over and over for \(options.tornSeconds) s, while one process writes without a pause. "
        + "Torn: neither the old nor the new file.",
      ["system", "reads", "writes", "torn", "missing", "going back"])
    each("torn", into: &table) { system, row in
      let writer = try system.worker("loop", ["n", "1"])
      guard writer.nextAcknowledgement(limit: Fixture.patience) != nil else {
        throw Failure("the writer did not write")
      }
      var (reads, writes, torn, missing, back) = (0, 1, 0, 0, 0)
      var last = 0
      let end = Clock.milliseconds() + options.tornSeconds * 1000
      while Clock.milliseconds() < end {
        reads += 1
        writes += writer.acknowledgements().count { $0 >= 0 }
        guard let bytes = Files.bytes(system.file) else {
          missing += 1
          continue
        }
        guard system.isWhole(bytes) else {
          torn += 1
          continue
        }
        let value = system.values(in: bytes)?["n"] ?? last
        if value < last { back += 1 }
        last = max(last, value)
      }
      writer.killGroup()
      writes += writer.drain().count { $0 >= 0 }
      _ = writer.wait()
      row = [reads, writes, torn, missing, back].map(\.grouped)
      return [.torn: torn + missing + back, .reads: reads]
    }
    finish(table)
  }
}
