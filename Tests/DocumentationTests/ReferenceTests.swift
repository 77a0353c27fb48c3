import Foundation
import Testing

/// The documents speak of what is there.
struct ReferenceTests {
  @Test(arguments: Document.all.map(\.path))
  func `a relative link of a document leads to a file`(_ path: String) throws {
    let directory = (path as NSString).deletingLastPathComponent
    for line in try Document(path).lines {
      for match in line.matches(of: /\]\(([^)#]+)[^)]*\)/) where !match.1.contains(":") {
        let target = ((directory as NSString).appendingPathComponent(String(match.1)) as NSString).standardizingPath
        let exists = FileManager.default.fileExists(atPath: Repository.root + "/" + target)
        #expect(exists, "\(path) links to '\(match.1)', which is not there")
      }
    }
  }

  @Test(arguments: Document.all.map(\.path))
  func `an anchor in a relative link is that of a heading`(_ path: String) throws {
    let directory = (path as NSString).deletingLastPathComponent
    for line in try Document(path).lines {
      for match in line.matches(of: /\]\(([^)#:]*)#([^)]+)\)/) {
        let link = String(match.1)
        let joined = ((directory as NSString).appendingPathComponent(link) as NSString).standardizingPath
        let target = link.isEmpty ? path : joined
        guard target.hasSuffix(".md") else { continue }
        let anchors = try Self.anchors[target] ?? Set(Document(target).headings.map(Self.anchor))
        #expect(anchors.contains(String(match.2)), "\(path) links to '\(link)#\(match.2)', which is no heading")
      }
    }
  }

  /// The anchors of each document.
  private static let anchors = Dictionary(
    uniqueKeysWithValues: Document.all.map { ($0.path, Set($0.headings.map(Self.anchor))) })

  /// The anchor that a heading gets where Markdown is rendered.
  private static func anchor(of heading: String) -> String {
    String(
      heading.lowercased().compactMap { $0 == " " ? "-" : $0.isLetter || $0.isNumber || "-_".contains($0) ? $0 : nil })
  }

  @Test func `every guide is in the index`() throws {
    let index = try Document("docs/README.md").lines.joined()
    for path in Repository.files(in: "docs", ending: ".md") where path != "docs/README.md" {
      let name = (path as NSString).lastPathComponent
      #expect(index.contains("](\(name)"), "docs/README.md does not list '\(name)'")
    }
  }
}
