/// A table in Markdown, as it stands in the documentation.
struct Table {
  let title: String
  let note: String
  let header: [String]
  private var rows: [[String]] = []

  init(_ title: String, _ note: String, _ header: [String]) {
    self.title = title
    self.note = note
    self.header = header
  }

  mutating func add(_ row: [String]) { rows.append(row) }

  var isEmpty: Bool { rows.isEmpty }

  var text: String {
    let all = [header] + rows
    let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return "| " + padded.joined(separator: " | ") + " |"
    }
    let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
    return (["### \(title)", "", note, "", line(header), rule] + rows.map(line)).joined(separator: "\n") + "\n"
  }
}
