import AppSettings
import Foundation
import SettingsTOML
import Testing
import TestSupport

/// Project files: what counts in them, and what must not.
struct ProjectTests {
  private let home = ScratchHome()
  private let indent = SettingsKey("editor.indent", default: 2, .allowedInProjects)
  private let style = SettingsKey("style", default: "none", .formerly("layout"), .allowedInProjects)
  private let shell = SettingsKey("shell", default: "/bin/sh", .refers(to: .command))

  private var file: String { home.path + "/work/app/.org.example.test.toml" }

  private func store(_ directory: String = "/work/app/src", migrations: [Migration] = []) throws
    -> SettingsStore
  {
    try home.store(
      migrations: migrations, project: SettingsProject(from: home.path + directory, keys: [indent, style]))
  }

  @Test func `the nearest file counts, above the user's`() throws {
    try home.write("style = 'user'\neditor.indent = 1\n")
    #expect(try store()[style] == "user")
    try home.write("style = 'far'\neditor.indent = 8\n", to: home.path + "/work/.org.example.test.toml")
    #expect(try store()[style] == "far")
    try home.write("style = 'near'\n", to: file)
    let settings = try store()
    #expect(settings[style] == "near")
    #expect(settings[indent] == 1)
    #expect(settings.origin(of: style).description == "project \(file):1")
    #expect(try home.store()[style] == "user")
  }

  @Test func `a set is written to the user's file, and stays hidden`() throws {
    try home.write("style = 'project'\n", to: file)
    let settings = try store()
    #expect(try settings.set("mine", for: style))
    #expect(settings[style] == "project")
    #expect(home.text() == "style = \"mine\"\n")
    #expect(settings.origin(of: style).layer.kind == .project)
    settings[style] = "other"
    #expect(settings[style] == "project")
    try settings.flush()
    #expect(home.text() == "style = \"other\"\n")
    let values = settings.snapshot.values(at: [["style"]])
    #expect(values.map(\.layer.kind) == [.project, .user])
    #expect(values[1].state == .hidden(by: settings.origin(of: style).layer, at: settings.origin(of: style).position))
  }

  @Test func `what the app did not allow counts for nothing, and is reported with its line`() throws {
    try home.write(
      "style = 'ok'\nshell = '/tmp/evil'\nsettings-locked = ['style']\n[editor]\nindent = 4\nfont = 'x'\n[unknown]\na.b = 1\n",
      to: file)
    let settings = try store()
    #expect(settings[style] == "ok" && settings[indent] == 4)
    #expect(settings[shell] == "/bin/sh")
    #expect(settings.snapshot.root.keys.sorted() == ["editor", "style"])
    #expect(try settings.set("mine", for: style))
    let problems = settings.currentProblems
    #expect(problems.map(\.code) == Array(repeating: .invalidKey, count: 4))
    #expect(problems.compactMap(\.position?.line).sorted() == [2, 3, 6, 8])
    #expect(problems.allSatisfy { $0.file == file && !$0.message.contains("/tmp/evil") })
  }

  @Test func `a value in the place of a table of allowed keys counts for nothing`() throws {
    try home.write("editor = 'gone'\n", to: file)
    try home.write("editor.indent = 3\n")
    let settings = try store()
    #expect(settings[indent] == 3)
    #expect(settings.currentProblems.count == 1)
  }

  @Test func `a value that the key cannot use leaves the person's, and is reported`() throws {
    let size = SettingsKey("size", default: 2, .in(1...8), .allowedInProjects)
    let words = SettingsKey<[String: Int]>("words", default: [:], .allowedInProjects)
    let project = SettingsProject(from: home.path + "/work/app", keys: [size, words, style])
    try home.write("size = 3\nstyle = 'user'\nwords = { a = 1, b = 2 }\n")
    try home.write("size = 99\nlayout = 5\nwords = { a = 'x', c = 3 }\n", to: file)
    let settings = try home.store(project: project)
    #expect(settings[size] == 3 && settings[style] == "user")
    #expect(settings[words] == ["a": 1, "b": 2, "c": 3])
    // Every reading says the same.
    #expect(settings.snapshot[["size"]] == 3 && settings.snapshot[size] == 3)
    #expect(settings.origin(of: size).layer.kind == .user && !settings.isDefault(size))
    #expect(settings.snapshot.values(at: [["size"]]).map(\.layer.kind) == [.user])
    let messages = settings.currentProblems.map(\.message)
    #expect(
      messages == [
        "Ignored 'size' of '\(file)' at line 1: 'size' is an integer, but must be an integer from 1 to 8. The value of the "
          + "layers below is used.",
        "Ignored 'words.a' of '\(file)' at line 3: 'a' in 'words' is a string, but must be an integer. The value of the "
          + "layers below is used.",
        "Ignored 'layout' of '\(file)' at line 2: 'layout' is an integer, but must be a string. The value of the layers "
          + "below is used.",
      ], "\(messages)")
    #expect(settings.currentProblems.map(\.position?.line) == [1, 3, 2])
    // Without a usable value below it, the default is used.
    try home.write("size = 77\n")
    let other = try home.store(project: project)
    #expect(other[size] == 2 && other.origin(of: size).layer.kind == .user)
  }

  @Test func `a part of a struct that a project lacks is the person's`() throws {
    struct Box: Codable, SettingsSerializable, Equatable {
      var width: Int
      var title = "t"
    }
    let box = SettingsKey("box", default: Box(width: 1), .allowedInProjects)
    try home.write("box = { width = 7 }\n")
    try home.write("box.title = 'team'\n", to: file)
    let settings = try home.store(project: SettingsProject(from: home.path + "/work/app", keys: [box]))
    #expect(settings[box] == Box(width: 7, title: "team") && settings.currentProblems.isEmpty)
    try home.write("box.title = 'team'\nbox.width = 'wide'\n", to: file)
    let other = try home.store(project: SettingsProject(from: home.path + "/work/app", keys: [box]))
    #expect(other[box] == Box(width: 7, title: "team"), "\(other.currentProblems)")
  }

  @Test func `administrators' locks hold above a project`() throws {
    try home.write("settings-locked = ['style']\nstyle = 'company'\n", to: home.systemFile("settings.toml"))
    try home.write("style = 'project'\n", to: file)
    #expect(try store()[style] == "company")
  }

  @Test func `links, files of others, writable and special files do not count, with what to do`() throws {
    func expect(_ words: String, _ make: () throws -> Void) throws {
      try? FileManager.default.removeItem(atPath: file)
      try make()
      let settings = try store()
      #expect(settings[style] == "none", "\(words)")
      let problem = try #require(settings.currentProblems.first)
      #expect(problem.message.contains(words), "\(problem.message)")
      #expect(problem.file == file)
    }
    try home.write("style = 'far'\n", to: home.path + "/work/.org.example.test.toml")
    try home.write("style = 'target'\n", to: home.path + "/target")
    try home.write("", to: home.path + "/work/app/src/x")
    try expect("a symbolic link") { symlink(home.path + "/target", file) }
    try expect("a symbolic link") { symlink(home.path + "/nowhere", file) }
    try expect("a named pipe") { mkfifo(file, 0o600) }
    try expect("a directory") { mkdir(file, 0o700) }
    // A user whose group is their own may let it write.
    let ownsGroup = MachineFacts.isPrivate(group: getegid(), of: geteuid(), Syscalls())
    for mode: mode_t in (ownsGroup ? [] : [0o664]) + [0o646, 0o666] {
      try expect("chmod go-w") {
        try home.write("style = 'x'\n", to: file)
        chmod(file, mode)
      }
    }
    guard geteuid() == 0 else { return }
    try expect("belongs to user 4711") {
      try home.write("style = 'x'\n", to: file)
      chown(file, 4711, 4711)
    }
  }

  @Test func `a directory that is a link is that of its target`() throws {
    try home.write("style = 'real'\n", to: file)
    try home.write("style = 'lexical'\n", to: home.path + "/links/.org.example.test.toml")
    mkdir(home.path + "/work/app/src", 0o700)
    symlink(home.path + "/work/app/src", home.path + "/links/src")
    #expect(try store("/links/src")[style] == "real")
    #expect(try store("/work/missing/deep")[style] == "none")
  }

  @Test func `a project's file is migrated in memory, and former names count`() throws {
    let migrations = [Migration(2, "rename look to style", [.rename("look", to: "style")])]
    try home.write("look = 'old'\n", to: file)
    #expect(try store(migrations: migrations)[style] == "old")
    #expect(home.text(of: file) == "look = 'old'\n")
    try home.write("layout = 'former'\n", to: file)
    let settings = try store()
    #expect(settings[style] == "former")
    #expect(settings.origin(of: style).formerName == ["layout"])
    try home.write("settings-version = 9\nstyle = 'newer'\n", to: file)
    #expect(try store(migrations: migrations)[style] == "newer")
  }

  @Test func `a file that does not parse is left out, with its place and without its text`() throws {
    try home.write("style = = 'hunter2'\n", to: file)
    let settings = try store()
    #expect(settings[style] == "none")
    let problem = try #require(settings.currentProblems.first)
    #expect(problem.code == .unparsable && problem.file == file && !problem.message.contains("hunter2"))
    try home.write("style = 'mended'\n", to: file)
    settings.reload()
    #expect(settings[style] == "mended" && settings.currentProblems.isEmpty)
    // A file that is broken later keeps its values; one that must not be used does not.
    try home.write("style = = 'hunter2'\n", to: file)
    settings.reload()
    #expect(settings[style] == "mended" && settings.currentProblems.count == 1)
    try home.write("style = 'writable'\n", to: file)
    chmod(file, 0o666)
    settings.reload()
    #expect(settings[style] == "none")
  }

  @Test func `keys that must not be in a project are the programmer's mistake`() async {
    #expect(SettingsProject.fault(of: indent) == nil)
    #expect(SettingsProject.fault(of: SettingsKey("a", default: 1))?.contains(".allowedInProjects") == true)
    let url = SettingsKey<URL?>("home", .allowedInProjects)
    #expect(SettingsProject.fault(of: url)?.contains("safely:") == true)
    let urls = SettingsKey<[URL]>("homes", default: [], .allowedInProjects)
    #expect(SettingsProject.fault(of: urls)?.contains("safely:") == true)
    let command = SettingsKey("formatter", default: "", .refers(to: .command), .allowedInProjects)
    #expect(SettingsProject.fault(of: command)?.contains("command") == true)
    let shown = SettingsKey<URL?>("link", .allowedInProjects(safely: "it is only shown"))
    #expect(SettingsProject.fault(of: shown) == nil)
    await #expect(processExitsWith: .failure) { _ = SettingsKey("token", default: "", .secret, .allowedInProjects) }
    await #expect(processExitsWith: .failure) { _ = SettingsProject(from: "/", keys: [SettingsKey("a", default: 1)]) }
  }

  @Test func `the search ends at the root`() {
    #expect(
      SettingsProject.candidates(".x.toml", upwardsFrom: "/a/b") == ["/a/b/.x.toml", "/a/.x.toml", "/.x.toml"])
    #expect(SettingsProject.candidates(".x.toml", upwardsFrom: "/") == ["/.x.toml"])
  }
}
