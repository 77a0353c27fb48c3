import Foundation
import Testing
import TestSupport

/// All of Foundation takes four times the memory of what the other products need: it stays in its adapter.
struct LinkageTests {
  @Test(arguments: ["settings-cli", "settings-probe"])
  func `a program without the adapter is not linked to all of Foundation`(_ name: String) throws {
    let program = try Data(contentsOf: URL(fileURLWithPath: ChildProcess.product(name)))
    for library in ["libFoundation.so", "libFoundationInternationalization.so", "lib_FoundationICU.so"] {
      #expect(program.range(of: Data(library.utf8)) == nil, "\(name) needs \(library)")
    }
    // The names of libraries are in the file, if it is linked to any.
    #expect(program.range(of: Data("libc.so".utf8)) != nil)
  }

  @Test func `no other target imports all of Foundation`() throws {
    let root =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path + "/Sources"
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    let files = names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix("AppSettingsFoundation/") }
    #expect(files.count > 50)
    for name in files {
      let text = try String(contentsOfFile: root + "/" + name, encoding: .utf8)
      #expect(text.firstMatch(of: /(?m)^.*import Foundation\s*$/) == nil, "\(name)")
    }
  }
}
