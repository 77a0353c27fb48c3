import Foundation
import Testing
import TestSupport

@testable import AppSettings

/// Files of a history that somebody else has written, with digests that hold: they are read as far as they make sense.
struct HostileJournalTests {
  private let home = ScratchHome()
  private let theme = SettingsKey("theme", default: "light")
  private let other = SettingsKey("other", default: 0)
  private var folder: JournalFolder {
    JournalFolder(path: home.path + "/state/app-settings/files\(home.file).history", system: Syscalls())
  }

  /// Asks everything of the history, and writes and undoes.
  private func use(sourceLocation: SourceLocation = #_sourceLocation) throws {
    let user = Aside { [home, theme, other] in
      do {
        let settings = try home.store()
        _ = (settings[theme], settings[other])
        for entry in try settings.history() { _ = try? settings.formerText(after: entry.id) }
        _ = try (settings.history(of: other), settings.historyLosses, settings.blame(nil))
        try settings.set("new", for: theme)
        try settings.set("newer", for: theme)
        try settings.undo()
        #expect(settings[theme] == "new", sourceLocation: sourceLocation)
        #expect(try settings.history(limit: 1).first?.reason == .undo, sourceLocation: sourceLocation)
      } catch {
        Issue.record(error, sourceLocation: sourceLocation)
      }
    }
    #expect(user.ends(within: 60), sourceLocation: sourceLocation)
  }

  @Test(arguments: ["none", "base", "checkpoint", "known", "index", "circle", "record", "offset", "segment", "size"])
  func `a journal with a number that no journal has is a damaged one`(_ place: String) throws {
    try home.store().set("dark", for: theme)
    func number(_ name: String, else usual: Int) -> Int { name == place ? .max : usual }
    let segment = Journal.headerLength
    var lines = Journal.header(base: number("base", else: 0))
    let head = HistoryCheckpoint.Head(number: number("checkpoint", else: 0), known: number("known", else: 0))
    HistoryLine.append(HistoryCheckpoint(head: head, text: []), to: &lines)
    let index = [(path: "other", segment: number("index", else: place == "circle" ? segment : 0))]
    HistoryLine.append(index: index, of: 0, to: &lines)
    let added = TextChange.Part(offset: number("offset", else: 0), removed: [], added: Array("theme = \"dark\"\n".utf8))
    var record = HistoryRecord(
      number: number("record", else: 1), time: 1, actor: HistoryRecord.Actor(), reason: "set",
      changes: [HistoryRecord.Change(path: ["theme"], old: .absent, new: .text("\"dark\""))],
      text: TextChange(parts: [added]), segment: number("segment", else: segment))
    record.file = HistoryRecord.File(stamp: .unknown, keptSize: number("size", else: 0))
    HistoryLine.append(record, to: &lines)
    try Data(lines).write(to: URL(filePath: folder.path + "/journal"))
    try use()
  }

  @Test(arguments: ["none", "base", "number", "reserved", "segment", "limit", "order", "end"])
  func `what the last writer is said to have known is used only if it can be`(_ place: String) throws {
    try home.store().set("dark", for: theme)
    var state = try #require(folder.lastKnown())
    switch place {
    case "base": state.base = .max
    case "number": state.number = .max
    case "reserved": state.reserved = .max
    case "segment": state.segment = .min
    case "limit": state.segmentLimit = .max
    case "order":
      var turned = KeptPlaces.Place(2..<4, shown: 1)
      (turned.start, turned.end) = (4, 2)
      state.places = KeptPlaces([turned])
    case "end":
      var beyond = KeptPlaces.Place(90..<91, shown: 1)
      (beyond.start, beyond.end) = (.max - 1, .max)
      state.places = KeptPlaces([beyond])
    default: break
    }
    try Data(PresentFile.bytes(of: state)).write(to: URL(filePath: folder.path + "/present"))
    try use()
  }
}
