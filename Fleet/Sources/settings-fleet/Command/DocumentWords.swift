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
  /// Whether `settings-cli` reads standard input for a word, as for the VALUE `-`.
  private var readsInput = false

  /// The options of a verb of `settings-cli` that take a value: the word after one is not the app.
  static func valuedOptions(of verb: String) -> Set<String> {
    let own: Set<String> =
      switch verb {
      case "get": ["--default"]
      case "check": ["--project"]
      case "set": ["--type", "--append", "--remove", "--if-unchanged"]
      case "unset": ["--if-unchanged"]
      case "lock": ["--reason"]
      case "import": ["--format", "--map", "--ignore", "--into", "--if-unchanged"]
      case "migrate": ["--to", "--backup"]
      default: []
      }
    return own.union(["--color"])
  }

  /// Those that lead to another file than the document.
  static let refusedOptions: Set<String> = ["--system", "--drop-in", "--layer", "--schema"]

  /// Separates the words: `--group G`, `--host H`, `--at N` and `--accept-unsigned` are ours, the first other word that
  /// is neither an option nor its value is the app.
  ///
  /// - Parameter verb: The verb of `settings-cli` that gets the rest; `nil` if the app comes first.
  /// - Throws: ``Failure`` for options that would lead to another file.
  init(_ words: [String], of verb: String? = nil, takesRevision: Bool = false) throws {
    let valued = verb.map(Self.valuedOptions) ?? []
    var app: String?
    var scope = DocumentScope.all
    var rest: [String] = []
    var isLiteral = false
    var index = words.startIndex
    while index < words.endIndex {
      let word = words[index]
      index += 1
      let isOption = !isLiteral && word.hasPrefix("--")
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let (option, attached) = (isOption ? parts[0] : "", isOption && parts.count > 1 ? parts[1] : nil)
      func value() throws -> String {
        if let attached { return attached }
        guard index < words.endIndex else { throw Failure(.usage, "Missing value for '\(option)'.") }
        index += 1
        return words[index - 1]
      }
      switch option {
      case "--group", "--host":
        let name = try value()
        guard let chosen = DocumentScope("\(option.dropFirst(2))/\(name)") else {
          let rule = FleetNames.rule(upTo: option == "--group" ? FleetNames.longestGroup : FleetNames.longestName)
          throw Failure(.usage, "Invalid value '\(name)' for '\(option)': \(rule).")
        }
        guard scope == .all else { throw Failure(.usage, "Use one of --group and --host, once.") }
        scope = chosen
      case "--at" where takesRevision: revision = try Self.revision(try value())
      case "--accept-unsigned" where !takesRevision && attached == nil: acceptsUnsigned = true
      case _ where Self.refusedOptions.contains(option):
        throw Failure(.usage, "'\(option)' leads to another file. Use --group or --host to choose a document.")
      case _ where valued.contains(option):
        let typed = try value()
        rest += attached == nil ? [word, typed] : [word]
        if ["--append", "--remove"].contains(option), typed == "-" { readsInput = true }
      default:
        // As 'settings-cli' takes it: a dash behind '--' is a value of 'set' like any other.
        if word == "-", !isLiteral || verb != "set" { readsInput = true }
        if word == "--" { isLiteral = true }
        let followsPairs = rest.allSatisfy { $0.hasPrefix("-") || $0.contains("=") }
        if verb == "set", app != nil, !isLiteral, followsPairs, parts.last == "-" { readsInput = true }
        if app == nil, !word.hasPrefix("-") { app = word } else { rest.append(word) }
      }
    }
    guard let app else { throw Failure(.usage, "Missing expected argument '<app>'.") }
    guard let document = FleetDocument(app: app, scope: scope) else {
      let hint = Self.app(behind: rest).map { " \(Self.order(verb, $0))" } ?? ""
      throw Failure(.usage, "Invalid app '\(app)': an id such as org.example.editor is needed.\(hint)")
    }
    self.document = document
    self.rest = rest
  }

  /// The first word that looks like an app, of those behind what was typed in its place.
  static func app(behind words: some Sequence<String>) -> String? {
    words.first { $0.contains(".") && $0.first?.isLetter == true && FleetNames.isApp($0) }
  }

  /// Which word comes first. What is behind it may be a value, which is not shown.
  static func order(_ verb: String?, _ app: String) -> String {
    "Write the app first: 'settings-fleet \(verb ?? "VERB") \(app) …'."
  }

  /// The revision that a person has typed.
  static func revision(_ text: String) throws -> Int64 {
    guard let number = Int64(text), number > 0 else {
      throw Failure(.usage, "Invalid value '\(text)' for '--at': a revision is needed, as 'log' prints it.")
    }
    return number
  }

  /// Reads what the verb reads in place of a file or value that is given as `-`. An edit that is made again needs it
  /// again.
  ///
  /// - Parameter verb: The verb of `settings-cli`. What `import` is to read from our standard input, by its path, is not
  ///   there under that path for `settings-cli`.
  mutating func standardInput(of verb: String) throws -> [UInt8] {
    if verb == "import", let place = rest.firstIndex(where: Self.inputPaths.contains) {
      (rest[place], readsInput) = ("-", true)
    }
    return readsInput ? try StandardInput.all(upTo: .max) : []
  }

  private static let inputPaths: Set<String> = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]
}
