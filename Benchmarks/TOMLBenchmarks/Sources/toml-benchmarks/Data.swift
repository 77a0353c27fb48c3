/// The same settings as TOML and as JSON.
struct Sample {
  var toml = ""
  var json = ""

  /// Tables of ten keys, with the kinds of values, the comments and the lengths that settings have.
  init(keys: Int) {
    json = "{"
    for table in 0..<max(1, keys / 10) {
      toml += """
        # Settings of window number \(table).
        [window-\(table)]
        title = "The title of window \(table)"
        theme = "solarized-dark"
        font-size = \(9 + table % 20)   # in points
        opacity = 0.\(50 + table % 50)
        visible = \(table % 2 == 0)
        position = [\(table % 1920), \(table % 1080)]
        last-opened = 2024-05-\(10 + table % 20)T07:32:00Z
        recent-files = ["/home/user/notes-\(table).txt", "/home/user/todo.txt"]
        "path with spaces" = 'C:\\dir\\file'
        scale = \(table).25


        """
      json += table == 0 ? "" : ","
      json += """
        "window-\(table)": {
          "title": "The title of window \(table)",
          "theme": "solarized-dark",
          "font-size": \(9 + table % 20),
          "opacity": 0.\(50 + table % 50),
          "visible": \(table % 2 == 0),
          "position": [\(table % 1920), \(table % 1080)],
          "last-opened": "2024-05-\(10 + table % 20)T07:32:00Z",
          "recent-files": ["/home/user/notes-\(table).txt", "/home/user/todo.txt"],
          "path with spaces": "C:\\\\dir\\\\file",
          "scale": \(table).25
        }
        """
    }
    json += "}"
  }
}

/// What `JSONDecoder` makes of one table.
struct Window: Decodable {
  let title: String
  let theme: String
  let fontSize: Int
  let opacity: Double
  let visible: Bool
  let position: [Int]
  let lastOpened: String
  let recentFiles: [String]
  let path: String
  let scale: Double

  enum CodingKeys: String, CodingKey {
    case title, theme, opacity, visible, position, scale
    case fontSize = "font-size"
    case lastOpened = "last-opened"
    case recentFiles = "recent-files"
    case path = "path with spaces"
  }
}
