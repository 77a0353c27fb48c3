import SettingsFleet
import SettingsTools

/// The words of a verb that works on a document: what is ours, and what `settings-cli` gets.
struct DocumentWords: Equatable {
  var document: FleetDocument
  /// A revision of the cluster, to read what was then.
  var revision: Int64?
  /// Whether a text that no trusted key has signed may be edited.
  var acceptsUnsigned = false
  /// Everything else, in its order.
  var rest: [String] = []

  /// Separates the words: `--group G`, `--host H`, `--at N` and `--accept-unsigned` are ours, the first other word without a dash is the app.
  ///
  /// - Throws: ``Failure`` for options that would lead to another file.
  init(_ words: [String], takesRevision: Bool = false) throws {
    var app: String?
    var scope = DocumentScope.all
    var revision: Int64?
    var rest: [String] = []
    var isLiteral = false
    var index = words.startIndex
    func value(of option: String) throws -> String {
      index += 1
      guard index < words.endIndex else { throw Failure(.usage, "Missing value for '\(option)'.") }
      return words[index]
    }
    func choose(_ chosen: DocumentScope?, _ option: String, _ name: String) throws {
      guard let chosen else {
        throw Failure(
          .usage,
          "Invalid value '\(name)' for '\(option)': a name has 1 to 253 of A-Z, a-z, 0-9, '.', '_' and '-', and begins "
            + "with none of '.' and '-'.")
      }
      guard scope == .all else { throw Failure(.usage, "Use one of --group and --host, once.") }
      scope = chosen
    }
    while index < words.endIndex {
      let word = words[index]
      switch word {
      case "--" where !isLiteral:
        isLiteral = true
        rest.append(word)
      case "--group" where !isLiteral, "--host" where !isLiteral:
        let name = try value(of: word)
        try choose(DocumentScope("\(word.dropFirst(2))/\(name)"), word, name)
      case "--at" where !isLiteral && takesRevision:
        let text = try value(of: word)
        guard let number = Int64(text), number > 0 else {
          throw Failure(.usage, "Invalid value '\(text)' for '--at': a revision is needed, as 'log' prints it.")
        }
        revision = number
      case "--accept-unsigned" where !isLiteral && !takesRevision: acceptsUnsigned = true
      case "--system", "--drop-in", "--layer", "--schema":
        guard isLiteral else {
          throw Failure(.usage, "'\(word)' leads to another file. Use --group or --host to choose a document.")
        }
        rest.append(word)
      default:
        if app == nil, !word.hasPrefix("-") { app = word } else { rest.append(word) }
      }
      index += 1
    }
    guard let app else { throw Failure(.usage, "Missing expected argument '<app>'.") }
    guard let document = FleetDocument(app: app, scope: scope) else {
      throw Failure(.usage, "Invalid app '\(app)': an id such as org.example.editor is needed.")
    }
    self.document = document
    self.revision = revision
    self.rest = rest
  }

  /// What the verb reads in place of a file or value that is given as `-`. An edit that is made again needs it again.
  func standardInput() throws -> [UInt8] { rest.contains("-") ? try StandardInput.all(upTo: .max) : [] }
}
