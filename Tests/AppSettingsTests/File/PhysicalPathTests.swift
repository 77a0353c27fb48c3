import AppSettings
import Foundation
import Testing
import TestSupport

/// One identity for one file, whatever leads to it.
struct PhysicalPathTests {
  let home = ScratchHome()

  private func physical(_ path: String) throws -> String {
    try PhysicalPath(home.path + path, system: Syscalls()).description
  }

  private func link(_ path: String, to target: String) throws {
    let path = home.path + path
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
  }

  @Test func `every spelling of a path leads to one file`() throws {
    try home.write("", to: home.path + "/w/p/x.toml")
    try home.write("", to: home.path + "/w/x.toml")
    for spelling in ["/w/p/x.toml", "/w//p/./x.toml", "/w/p/../p/x.toml", "/w/../w/p/x.toml"] {
      #expect(try physical(spelling) == home.path + "/w/p/x.toml", "\(spelling)")
    }
    #expect(try PhysicalPath("/../..\(home.path)/w/x.toml", system: Syscalls()).description == home.path + "/w/x.toml")
    #expect(try physical("/w/p/../x.toml") == home.path + "/w/x.toml")
  }

  @Test func `links of files and directories are followed, and a parent is that of where they lead`() throws {
    try home.write("", to: home.path + "/real/deep/x.toml")
    try home.write("", to: home.path + "/real/y.toml")
    try link("/short", to: home.path + "/real/deep")
    try link("/links/x.toml", to: "../short/./x.toml")
    #expect(try physical("/short/x.toml") == home.path + "/real/deep/x.toml")
    #expect(try physical("/links/x.toml") == home.path + "/real/deep/x.toml")
    // As text, this would be '/y.toml'.
    #expect(try physical("/short/../y.toml") == home.path + "/real/y.toml")
  }

  @Test func `what does not exist yet is where a write would make it`() throws {
    try link("/app/settings.toml", to: "../dotfiles/editor.toml")
    try link("/config", to: home.path + "/later")
    #expect(try physical("/app/settings.toml") == home.path + "/dotfiles/editor.toml")
    #expect(try physical("/config/a/settings.toml") == home.path + "/later/a/settings.toml")
    #expect(try physical("/none/../other/x.toml") == home.path + "/other/x.toml")
  }

  @Test func `a loop of links is an error`() throws {
    try link("/a", to: "b")
    try link("/b", to: "a")
    let error = #expect(throws: SettingsError.self) { try physical("/a/x.toml") }
    #expect(error?.message.contains("form a loop") == true)
  }

  @Test func `names that differ in bytes alone are different files`() throws {
    let composed = try PhysicalPath("/é.toml", system: Syscalls())
    let decomposed = try PhysicalPath("/e\u{301}.toml", system: Syscalls())
    #expect(composed.description == decomposed.description && composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }
}
