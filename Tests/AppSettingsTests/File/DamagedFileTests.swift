import AppSettings
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// What may stand in the file's place: reads go on, writes refuse, nothing hangs.
struct DamagedFileTests {
  let home = ScratchHome()
  private var directory: String { home.path + "/config/org.example.test" }
  private var temporary: String { directory + "/" + BesideName.temporary(for: "settings.toml") }

  @Test func `an empty file has no values and can be written`() throws {
    try home.write("")
    let settings = try home.store()
    #expect(settings[.counter] == 0)
    #expect(settings.currentProblems == [])
    try settings.set(1, for: .counter)
    #expect(home.text() == "counter = 1\n")
  }

  @Test func `a file cut at any byte is written on as far as it can be read, or stays as it is`() throws {
    let whole = "# c\nname = 'x'\ncounter = 12 # n\nrecent-files = [\n  'file:///a',\n]\n[editor]\nwrap = true\n"
    for length in 0...whole.utf8.count {
      let cut = String(whole.prefix(length))
      try home.write(cut)
      let settings = try home.store()
      let readable = try? TOMLDocument(parsing: cut).root
      #expect(settings[.name] == (readable?["name"] == "x" ? "x" : ""), "\(length)")
      #expect(settings.currentProblems.isEmpty == (readable != nil), "\(length)")
      let result = Result { try settings.set(.dark, for: .theme) }
      let text = try #require(home.text())
      switch (result, readable) {
      case (.success, let readable?):
        var expected = readable
        expected["theme"] = "dark"
        #expect(try TOMLDocument(parsing: text).root == expected, "\(length): \(text)")
        #expect(text.hasPrefix("# c".prefix(length)), "\(length)")
      case (.failure(let error), nil):
        #expect((error as? SettingsError)?.code == .unparsable)
        #expect(text == cut, "\(length)")
      default: Issue.record("\(length): \(result)")
      }
      #expect(home.names(in: directory) == ["settings.toml"])
    }
  }

  @Test func `a broken file is reported once, with its place, however often it is read`() throws {
    try home.write("counter = 1\nname = 'x\n")
    let settings = try home.store()
    for _ in 0..<100 {
      #expect(settings[.counter] == 0)
      settings.reload()
    }
    let unparsable = settings.currentProblems.filter { $0.code == .unparsable }
    #expect(Set(unparsable.map(\.position?.line)) == [2])
    #expect(Set(unparsable.map(\.file)) == [home.file])
    #expect(unparsable.count <= 2, "\(unparsable.map(\.message))")
  }

  @Test func `a file beyond the limit is refused without being read, and stays`() throws {
    try home.write("")
    let size = SettingsFile.sizeLimit + 1
    #expect(truncate(home.file, off_t(size)) == 0)
    let settings = try home.store()
    #expect(settings[.counter] == 0)
    #expect(settings.currentProblems.count == 1)
    let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(error?.code == .io)
    #expect(error?.message.contains("it has \(size) bytes, and the limit") == true)
    #expect(try FileManager.default.attributesOfItem(atPath: home.file)[.size] as? Int == size)
  }

  @Test func `a socket is never waited for, read or replaced`() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array(home.file.utf8)
    try #require(path.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(bound == 0)
    let settings = try home.store()
    #expect(settings[.counter] == 0)
    let error = #expect(throws: SettingsError.self) { try settings.set(1, for: .counter) }
    #expect(error?.message.contains("it is a socket") == true)
    #expect(home.names(in: directory) == ["settings.toml"])
  }

  @Test func `a file that becomes a directory keeps its last good values until it is one again`() throws {
    try home.write("counter = 5\n")
    let settings = try home.store()
    #expect(settings[.counter] == 5)
    try FileManager.default.removeItem(atPath: home.file)
    try FileManager.default.createDirectory(atPath: home.file, withIntermediateDirectories: false)
    settings.reload()
    #expect(settings[.counter] == 5)
    #expect(settings.currentProblems.count == 1)
    #expect(throws: SettingsError.self) { try settings.set(6, for: .counter) }
    #expect(settings[.counter] == 5)
    rmdir(home.file)
    try home.write("counter = 7\n")
    settings.reload()
    #expect(settings[.counter] == 7)
    #expect(try settings.set(8, for: .counter))
  }

  // MARK: What a dead writer, or someone worse, has left

  @Test func `the temporary file of a dead writer is taken away by the next write`() throws {
    try home.write("counter = 1\n")
    try home.write("counter = 2\nna", to: temporary)
    let settings = try home.store()
    #expect(settings[.counter] == 1)
    try settings.set(3, for: .counter)
    #expect(home.text() == "counter = 3\n")
    #expect(home.names(in: directory) == ["settings.toml"])
  }

  @Test func `a link in the temporary file's place is not written through`() throws {
    try home.write("counter = 1\n")
    let victim = home.path + "/victim"
    try home.write("untouched", to: victim)
    try FileManager.default.createSymbolicLink(atPath: temporary, withDestinationPath: victim)
    try home.store().set(2, for: .counter)
    #expect(home.text(of: victim) == "untouched")
    #expect(home.text() == "counter = 2\n")
    #expect(home.names(in: directory) == ["settings.toml"])
  }
}
