import SettingsTOML
import TestModels
import Testing

@testable import AppSettings

/// What is a secret, and what becomes of a text with secrets in it.
struct RedactionTests {
  private static func redaction(_ text: String, secret: [String] = [], plain: [String] = []) throws -> Redaction {
    var keys = KnownKeys(declared: PathTree(), secrets: [])
    for name in plain { keys.insert(KnownKeys.Entry(path: try TOMLPath(parsing: name), isSecret: false)) }
    for name in secret { keys.insert(KnownKeys.Entry(path: try TOMLPath(parsing: name), isSecret: true)) }
    return Redaction(of: Array(text.utf8), keys, .none)
  }

  private static func shown(_ text: String, secret: [String] = [], plain: [String] = []) throws -> String {
    try redaction(text, secret: secret, plain: plain).shownText { _ in "*" }
  }

  @Test(arguments: [
    "password", "Password", "PASSWD", "db-password", "db_password", "dbPassword", "passphrase", "client_secret",
    "clientSecret", "secret", "token", "id-token", "GITHUB_TOKEN", "credential", "api-key", "api_key", "apiKey",
    "API_KEY", "APIKey", "apikey", "private-key", "privateKey", "access_key", "s3.access key", "token2", "token-2",
    "secret-key", "AWSSecret",
    "aws_secret_access_key", "oauth2Token", "S3AccessKey", "clésToken", "caféToken", "smtp/password", "imap:Password",
  ])
  func `a name that ends with a word of the list is that of a secret`(name: String) throws {
    #expect(SecretNames.contains(name))
    let key = TOMLPath([name])
    #expect(!(try Self.redaction("\(key) = \"x\"\n").isComplete))
    #expect(try Self.redaction("\(key) = 5\nb.\(key) = true\n").isComplete)
  }

  @Test(arguments: [
    "max-tokens", "tokens", "tokenizer", "SecretStr", "secretstores", "keymap", "key", "api", "keyboard",
    "passwordless",
    "apiKeys", "credentials-helper-off", "key-api", "", "t", "tok",
    "password-file", "token-url", "secret-santa", "2", "-", "token/url", "oauth2Tokens", "2D",
  ])
  func `a part of a word is not`(name: String) throws {
    #expect(!SecretNames.contains(name))
    #expect(try Self.redaction("\(TOMLPath([name])) = \"x\"\n").isComplete)
  }

  @Test func `where nothing is declared, names decide about strings, and tables by their own keys alone`() throws {
    let text = """
      max-tokens = 5
      token = 5  # a number
      [credential]
      helper = "cache"
      [cargo-credential]
      workspace = true
      [db]
      password = "CANARY" # about
      host = "h"

      """
    #expect(
      try Self.shown(text)
        == text.replacing("password = \"CANARY\" # about", with: "password = * # (not shown)"))
  }

  @Test(arguments: [
    ("[[server]]\nname = \"a\"\npassword = \"CANARY\"\n", "[server] *\n"),
    ("servers = [{ name = \"a\", password = \"CANARY\" }]\n", "servers = *\n"),
    ("servers = [[{ password = \"CANARY\" }]]\n", "servers = *\n"),
    ("servers = [{ password = [\"CANARY\"] }]\n", "servers = *\n"),
    ("token = [\n  \"CANARY\", # CANARY\n]\n", "token = *\n"),
    ("a = { b = { api-key = 'CANARY' }, c = 1 }\n", "a = { b = { api-key = * }, c = 1 }\n"),
    ("servers = [{ password = 5, token = true }]\n", "servers = [{ password = 5, token = true }]\n"),
    ("# token = \"CANARY\"\na = 1\n", "# (not shown)\na = 1\n"),
    ("#apiKey: CANARY\na = 1\n", "# (not shown)\na = 1\n"),
    ("# our API key: CANARY\na = 1\n", "# (not shown)\na = 1\n"),
    ("a = 1 # \"api key\" = 'CANARY'\n", "a = 1 # (not shown)\n"),
    ("# private\tkey 2 = CANARY\na = 1\n", "# (not shown)\na = 1\n"),
    (
      "t = {\n  a = 1, # token = CANARY\n  # token = CANARY\n}\n", "t = {\n  a = 1, # (not shown)\n  # (not shown)\n}\n"
    ),
    (
      "# CANARY\nt = {\n  a = [1], # CANARY\n  token = \"x\", b-token = \"x\" # CANARY\n} # CANARY\n",
      "# (not shown)\nt = {\n  a = [1], # (not shown)\n  token = *, b-token = * # (not shown)\n} # (not shown)\n"
    ),
    ("# the key: 1\na = 1 # api, key: 1\n", "# the key: 1\na = 1 # api, key: 1\n"),
    ("# the tokenizer = 1\na = 1\n", "# the tokenizer = 1\na = 1\n"),
    ("# CANARY\npassword = \"x\"\n", "# (not shown)\npassword = *\n"),
  ])
  func `arrays, tables in them and comments`(text: String, shown: String) throws {
    #expect(try Self.shown(text) == shown)
  }

  @Test func `a declared secret is one of any kind, and so is a value in the place of its table`() throws {
    #expect(try Self.shown("pin = 1234\n", secret: ["pin"]) == "pin = *\n")
    #expect(try Self.shown("db = \"CANARY\"\n", secret: ["db.password"]) == "db = *\n")
    #expect(try Self.shown("[[db]]\nx = 1\n[[db]]\nx = 2\n", secret: ["db.password"]) == "[db] *\n")
    #expect(try Self.shown("db.host = \"h\"\n", secret: ["db.password"]) == "db.host = \"h\"\n")
    #expect(try Self.shown("password = \"x\"\n", plain: ["password"]) == "password = \"x\"\n")
    #expect(try Self.shown("password = \"x\"\n", secret: ["password"], plain: ["password"]) == "password = *\n")
  }

  @Test func `the number of names in a secret table does not show`() throws {
    for text in ["v.a = 1\n", "v.a = 1 # c\nv.b = 2\n\n# d\nv.c = 3\n"] {
      #expect(try Self.shown(text + "w = 1\n", secret: ["v"]).hasPrefix("v = *"))
      #expect(try Self.shown(text + "w = 1\n", secret: ["v"]).split(separator: "\n").count <= 2, "\(text)")
    }
    #expect(
      try Self.shown("[v]\na = 1\n[v.x]\nb = 1\n[v.y]\n[w]\n", secret: ["v"]).replacing("\n", with: "") == "[v] *[w]")
  }

  @Test func `what is kept of a text is valid, and is kept as it is when it is kept again`() throws {
    let text = """
      # about the token
      token = "CANARY" # CANARY
      v.a = "CANARY"
      v.b = 2
      [w]
      x = 1
      [[server]]
      password = "CANARY"
      [[server]]
      password = "CANARY"

      """
    let kept = try Self.redaction(text, secret: ["token", "v", "w"]).keptText
    #expect(!String(decoding: kept, as: UTF8.self).contains("CANARY"))
    _ = try TOMLDocument(parsing: kept)
    let again = try Self.redaction(String(decoding: kept, as: UTF8.self), secret: ["token", "v", "w"]).keptText
    #expect(String(decoding: again, as: UTF8.self) == String(decoding: kept, as: UTF8.self))
  }

  /// Plain values of a text that is kept have neither a path nor an object of their own, those of a shown one do.
  @Test func `a text is kept alike, whether its parts have paths or not`() throws {
    let lines = [
      "k = 1", "s = \"CANARY\" # CANARY", "# about", "a.b = [\n  \"CANARY\", # c\n]", "a.c.\"d e\" = 'CANARY'",
      "x = { y = \"CANARY\", z.w = 2 }", "m = \"\"\"\nCANARY\n\"\"\"", "[t]", "[t.u]", "[v]", "[[list]]", "[list.of]",
      "",
    ]
    var random = SeededRandom(7)
    var parsed = 0
    for _ in 0..<2_000 {
      let count = Int.random(in: 1...9, using: &random)
      let text = (0..<count).map { _ in lines.randomElement(using: &random)! + "\n" }.joined()
      guard let document = try? TOMLDocument(parsing: text) else { continue }
      parsed += 1
      var keys = KnownKeys()
      keys.insert(KnownKeys.Entry(path: ["k"], isSecret: false))
      keys.insert(KnownKeys.Entry(path: ["t", "u", "s"], isSecret: true))
      let kept = KeptText(of: document.bytes, document, keys, .none)
      #expect(kept.bytes == Redaction(of: document, keys, .none).keptText, "\(text)")
      #expect(kept.places.place(of: document.bytes.count) == kept.bytes.count, "\(text)")
      #expect(kept.document != nil && !String(decoding: kept.bytes, as: UTF8.self).contains("CANARY"), "\(text)")
    }
    #expect(parsed > 500)
  }

  @Test func `lines that do not parse are hidden if they may have a secret`() throws {
    #expect(try Self.shown("a = 1\nb = = 2\n") == "a = 1\nb = = 2\n")
    #expect(try !Self.shown("a = 1\ntoken = \"CANARY\n").contains("CANARY"))
    #expect(try !Self.shown("a = 1\npin = = \"CANARY\n", secret: ["pin"]).contains("CANARY"))
    #expect(try Self.shown("a = 1\nb = \"c\\q\"\n").contains("c\\q"))
    // A key that is declared is what its declaration says.
    let broken = "a = = 1\ntoken = \"x\"\n"
    #expect(try Self.shown(broken, plain: ["sync.token"]) == broken)
    let comments = "# the token = \"x\"\n# \"api key\" = 1\na = 1\n"
    #expect(try Self.shown(comments, plain: ["sync.token", "\"api key\""]) == comments)
    #expect(try Self.shown(comments, plain: ["sync.token", "key"]).contains("api key") == false)
  }

  @Test func `only what the file format defines is no secret below 'settings-'`() throws {
    let text = """
      settings-token = "CANARY"
      settings-version = 2
      settings-seal = "x"
      settings-history.password = "CANARY"
      settings-locked = ["a.password"]
      [settings-prod]
      password = "CANARY"
      [settings-sealed.db]
      password = ["v1 a b"]

      """
    #expect(try Self.shown(text) == text.replacing("\"CANARY\"", with: "*"))
    // With a secret beside it, the names in which a list of locks may have.
    let shown = try Self.shown(text, secret: ["a"], plain: ["theme"])
    #expect(
      shown
        == text.replacing("\"CANARY\"", with: "*").replacing("[\"a.password\"]", with: "*"))
    var kept = KnownKeys()
    kept.insert(KnownKeys.Entry(path: .root, isSecret: true))
    #expect(!kept.hides(["settings-seal"], .string("x")) && kept.hides(["settings-x"], .string("x")))
  }

  @Test func `without a secret nothing may be one, not even the whole document`() {
    #expect(!KnownKeys().mayBeSecret(.root) && !KnownKeys().mayBeSecret(["a"]))
  }

  @Test func `once something is declared, what is not declared is not kept`() throws {
    var keys = KnownKeys()
    keys.insert(KnownKeys.Entry(path: ["pin"], isSecret: true))
    keys.insert(KnownKeys.Entry(path: ["theme"], isSecret: false))
    #expect(keys.hides(["thema"], .integer(1)))
    #expect(!keys.hides(["theme"], .string("x")))
    #expect(!keys.hides(["settings-version"], .integer(2)))
    #expect(keys.hides(.root, .table(["pin": .integer(1)])))
    #expect(!keys.hides(.root, .table(["theme": .integer(1)])))
  }

  @Test func `what a copy of the list gets declares nothing in the other`() {
    var keys = KnownKeys()
    keys.insert(KnownKeys.Entry(path: ["theme"], isSecret: false))
    let copy = keys
    keys.insert(KnownKeys.Entry(path: ["editor", "max-password"], isSecret: false))
    #expect(!keys.hides(comment: "max-password = x"))
    #expect(copy.hides(comment: "max-password = x"))
  }
}
