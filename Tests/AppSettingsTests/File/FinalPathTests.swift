import AppSettings
import Foundation
import Testing
import TestSupport

/// Where a path's last component leads.
struct FinalPathTests {
  let home = ScratchHome()

  private func resolve(_ name: String, system: Syscalls = Syscalls()) throws -> String {
    try FinalPath.resolve(home.path + "/" + name, system: system).path
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: home.path + "/" + name, withDestinationPath: target)
  }

  @Test(arguments: ["file", "nothing", "directory", "directory/", "directory/file"])
  func `a path that no link ends is itself`(name: String) throws {
    try home.write("", to: home.path + "/file")
    try home.write("", to: home.path + "/directory/file")
    #expect(try resolve(name) == home.path + "/" + (name == "directory/" ? "directory" : name))
  }

  @Test(arguments: [
    ("target", "target"), ("sub/target", "sub/target"), ("../target", "../target"), ("./target", "./target"),
    ("sub/", "sub"), ("/absolute/target", "/absolute/target"), ("/target", "/target"),
  ])
  func `a link leads to its target, from the directory that it is in, whether that exists or not`(
    target: String, place: String
  ) throws {
    try link("link", to: target)
    #expect(try resolve("link") == (place.hasPrefix("/") ? place : home.path + "/" + place))
  }

  @Test func `a link to a link leads to the last one's target`() throws {
    try link("a", to: "b")
    try link("b", to: home.path + "/c")
    try link("c", to: "end")
    #expect(try resolve("a") == home.path + "/end")
  }

  @Test func `a link on the way to the last component is left to the kernel`() throws {
    try home.write("", to: home.path + "/real/file")
    try link("way", to: "real")
    #expect(try resolve("way/file") == home.path + "/way/file")
  }

  @Test(arguments: [39, 40, 41]) func `as many links are followed as the kernel follows`(count: Int) throws {
    try home.write("", to: home.path + "/link-0")
    for number in 1...count { try link("link-\(number)", to: "link-\(number - 1)") }
    let isReadable = access(home.path + "/link-\(count)", F_OK) == 0
    #expect(isReadable == (count <= 40))
    let found = try? resolve("link-\(count)")
    #expect(found == (isReadable ? home.path + "/link-0" : nil))
  }

  @Test func `a loop of links is an error with its path`() throws {
    try link("a", to: "b")
    try link("b", to: "a")
    let error = settingsError { _ = try resolve("a") }
    #expect(error?.code == .io)
    #expect(error?.message.hasPrefix("Cannot read '\(home.path)/a': ") == true, "\(String(describing: error))")
  }

  @Test func `a directory that may not be searched is an error`() throws {
    let error = settingsError { _ = try resolve("a", system: .failing(.readlink, with: EACCES)) }
    #expect(error?.code == .readOnly)
  }

  @Test func `paths are compared byte by byte`() throws {
    let (composed, decomposed) = ("/\u{E9}", "/e\u{301}")
    #expect(composed == decomposed)
    let system = Syscalls()
    #expect(try FinalPath.resolve(composed, system: system) != FinalPath.resolve(decomposed, system: system))
    #expect(try FinalPath.resolve(composed, system: system) == FinalPath.resolve(composed, system: system))
  }
}
