import AppSettings
import Foundation
import Testing

@testable import AppSettingsObserve

/// Each case is a small tree, a path, and what its plan is: `directory: name role…`, below the tree's root.
struct WatchPlanTests {
  struct Case: CustomTestStringConvertible {
    var testDescription: String
    var build: String
    var target: WatchTarget
    var plan: [String]
    var end: String

    init(_ name: String, _ build: String, _ target: WatchTarget, _ plan: [String], _ end: String) {
      testDescription = name
      self.build = build
      self.target = target
      self.plan = plan
      self.end = end
    }
  }

  static let cases = [
    Case("a file", "mkdir d; touch d/f", .file("d/f"), [".: d holder", "d: f content"], "file"),
    Case("a file that is missing", "mkdir d", .file("d/f"), [".: d holder", "d: f content"], "missing"),
    Case("a parent that is missing", "mkdir d", .file("d/e/g/f"), [".: d holder", "d: e step"], "missing"),
    Case("dots and slashes", "mkdir d; touch d/f", .file("d/.//../d/f"), [".: d holder", "d: f content"], "file"),
    Case("a directory where a file should be", "mkdir -p d/f", .file("d/f"), [".: d holder", "d: f content"], "21"),
    Case("a file where a directory should be", "touch d", .file("d/f"), [".: d step"], "20"),
    Case(
      "a link in another directory's place", "mkdir r; touch r/f; ln -s r l", .file("l/f"),
      [".: l step, r holder", "r: f content"], "file"),
    Case(
      "a link to a file elsewhere", "mkdir a b; touch b/g; ln -s ../b/g a/f", .file("a/f"),
      [".: a holder, b holder", "a: f step", "b: g content"], "file"),
    Case(
      "an absolute link", "mkdir a b; touch b/g; ln -s \"$PWD/b/g\" a/f", .file("a/f"),
      [".: a holder, b holder", "a: f step", "b: g content"], "file"),
    Case(
      "a link that leads above the root", "touch g; ln -s \"$(printf '../%.0s' $(seq 40))$PWD/g\" f", .file("f"),
      [".: f step, g content"], "file"),
    Case(
      "a link to a link", "mkdir a; touch a/h; ln -s h a/g; ln -s g a/f", .file("a/f"),
      [".: a holder", "a: f step, g step, h content"], "file"),
    Case(
      "a dangling link", "mkdir a b; ln -s ../b/g a/f", .file("a/f"),
      [".: a holder, b holder", "a: f step", "b: g content"], "missing"),
    Case(
      "a link into a missing directory", "mkdir a; ln -s ../b/c/g a/f", .file("a/f"),
      [".: a holder, b step", "a: f step"], "missing"),
    Case(
      "a loop of links", "mkdir a; ln -s g a/f; ln -s f a/g", .file("a/f"),
      [".: a holder", "a: f step, g step"], "40"),
    Case(
      "a ConfigMap's links", "mkdir ..1; touch ..1/f; ln -s ..1 ..data; ln -s ..data/f f", .file("f"),
      [".: ..1 holder, ..data step, f step", "..1: f content"], "file"),
    Case(
      "directories on the way", "mkdir -p a/b/c; touch a/b/c/f", .file("a/b/c/f"),
      ["a:", "a/b: c holder", "a/b/c: f content"], "file"),
    Case(
      "a directory of drop-ins", "mkdir d; touch d/a.toml d/b", .directory("d"),
      [".: d holder", "d: *.toml content"], "directory"),
    Case("a directory that is missing", "", .directory("d"), [".: d step"], "missing"),
    Case(
      "a directory by way of a link", "mkdir r; ln -s r d", .directory("d"),
      [".: d step, r holder", "r: *.toml content"], "directory"),
    Case("a directory that is a file", "touch d", .directory("d"), [".: d step"], "20"),
    Case(
      "a drop-in that is a link", "mkdir d r; touch r/x; ln -s ../r/x d/a.toml", .directory("d"),
      [".: d holder, r holder", "d: *.toml content, a.toml step", "r: x content"], "directory"),
  ]

  @Test(arguments: cases) func `a walk notes what its result depends on`(_ example: Case) async throws {
    let root = TestDirectory()
    try await root.run(example.build)
    let target: WatchTarget =
      switch example.target {
      case .file(let path): .file(root[path])
      case .directory(let path): .directory(root[path])
      case .folder(let path): .folder(root[path])
      }
    let plan = WatchPlan(of: target)
    #expect(plan.lines(below: root.path) == example.plan)
    #expect(plan.end.label == example.end)
    #expect(plan.remoteFileSystem == nil)
  }

  @Test func `a plan equals another only for the same names of the same directories`() async throws {
    let root = TestDirectory()
    try await root.run("mkdir d e; touch d/f; ln -s f d/g")
    let plan = WatchPlan(of: .file(root["d/f"]))
    #expect(plan.hasSameNeeds(as: WatchPlan(of: .file(root["d/f"]))))
    #expect(!plan.hasSameNeeds(as: WatchPlan(of: .file(root["d/g"]))))
    try await root.run("rm -r d; mkdir d.new; touch d.new/f; mv d.new d")
    #expect(
      plan.hasSameNeeds(as: WatchPlan(of: .file(root["d/f"])))
        == (plan.identity(of: root["d"]) == identity(of: root["d"])))
  }

  @Test func `a plan passes immutable stores without watching their names`() {
    let plan = WatchPlan(of: .file("/nix/store/none-settings.toml"))
    #expect(plan.needs.values.allSatisfy { !$0.path.hasPrefix("/nix/store") || $0.names.isEmpty })
  }

  @Test func `an age is that of the last write`() throws {
    let root = TestDirectory()
    try root.write("x", to: "f")
    let young = try #require(WatchPlan(of: .file(root["f"])).end.age)
    #expect(young < .seconds(30))
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -60)], ofItemAtPath: root["f"])
    let old = try #require(WatchPlan(of: .file(root["f"])).end.age)
    #expect(old >= .seconds(59))
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: 60)], ofItemAtPath: root["f"])
    #expect(WatchPlan(of: .file(root["f"])).end.age == nil)
  }

  @Test(arguments: [Int.min, Int.min + 1, -1, .max]) func `any time of a file is an age, or none`(_ seconds: Int) throws
  {
    // A file system that takes every time; others take the nearest one that they have.
    let path = "/dev/shm/settings-test-age-\(getpid())-\(seconds)"
    defer { unlink(path) }
    try #require(FileManager.default.createFile(atPath: path, contents: nil), "/dev/shm is needed")
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    #expect(utimensat(AT_FDCWD, path, [time, time], 0) == 0)
    #expect((WatchPlan(of: .file(path)).end.age != nil) == (seconds < 0))
  }

  private func identity(of path: String) -> FileIdentity? { try? EntryStatus(of: path).identity }
}

extension WatchPlan {
  func identity(of path: String) -> FileIdentity? { needs.first { $0.value.path == path }?.key }

  /// The needs of the directories from `root` on.
  func lines(below root: String) -> [String] {
    needs.values.sorted { $0.path < $1.path }.compactMap { need -> String? in
      guard need.path == root || need.path.hasPrefix(root + "/") else { return nil }
      var roles = need.names.sorted { $0.key < $1.key }.map { "\($0) \($1.label)" }
      if need.everyTOML { roles.insert("*.toml content", at: 0) }
      let path = need.path == root ? "." : String(need.path.dropFirst(root.count + 1))
      return path + ":" + (roles.isEmpty ? "" : " " + roles.joined(separator: ", "))
    }.filter { $0 != ".:" }
  }
}

extension WatchRole {
  fileprivate var label: String {
    [(Self.content, "content"), (.step, "step"), (.holder, "holder")].filter { contains($0.0) }.map(\.1).joined(
      separator: "+")
  }
}

extension WatchPlan.End {
  fileprivate var label: String {
    switch self {
    case .file: "file"
    case .directory: "directory"
    case .missing: "missing"
    case .blocked(let code): "\(code)"
    }
  }
}
