import SettingsFleet
import Testing

struct TreePathTests {
  @Test(arguments: [
    ("org.example.editor/all.toml", "org.example.editor/all", nil),
    ("org.example.editor/all@1.toml", "org.example.editor/all", 1),
    ("editor/group/web.1.toml", "editor/group/web.1", nil), ("editor/group/web@12.toml", "editor/group/web", 12),
    ("editor/host/a1.example.toml", "editor/host/a1.example", nil),
  ])
  func `a path names a document, and the document the path`(path: String, document: String, version: Int?) {
    let read = TreePath(path)
    #expect(read.map { "\($0.document)" } == document && read?.version == version)
    #expect(read.map { "\($0)" } == path)
  }

  @Test(arguments: [
    "", "all.toml", "editor/all", "editor/All.toml", "editor/groups/web.toml", "editor/group/web/x.toml",
    "editor/all@0.toml", "editor/all@01.toml", "editor/all@.toml", "editor/all@1@2.toml", "editor/group/.toml",
    "editor/group/..toml", "../all.toml", ".git/all.toml", "editor/host/-a.toml", "editor/rollout.toml",
  ])
  func `other paths name none`(path: String) { #expect(TreePath(path) == nil) }
}
