import AppSettings
import ArgumentParser
import Glibc
import SettingsTools

struct EditVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edit the user's file with $VISUAL or $EDITOR, and check it before storing it.",
    discussion: """
      The editor opens a copy. Without $VISUAL and $EDITOR, it is sensible-editor, editor, nano or vi. When it ends, \
      the text is checked: if it does not parse, or the app's schema refuses a value, the line is shown, and you can \
      edit again, keep the copy or discard it. Then the text is stored in one write, under the lock, after a backup of \
      the old one. Changes that others made in between are merged; if both have changed one key, you are asked. You can \
      also repair a file that does not parse this way.

      Only what you discard is lost: if the editor fails, a signal ends the command, or nobody can be asked, a copy \
      with changes stays, and a message gives its path.

      --text stores a whole text without an editor and without questions, after the same checks. The text may be \
      that of 'describe --document': each placeholder in it stands for the secret that is at its place now. With \
      --json, what is wrong is a JSON array, empty if nothing is. Exits 4 if a value is refused, 5 if one is locked, 6 \
      if the text does not parse, 9 if --if-unchanged does not hold; nothing is stored then.

      EXAMPLES
        settings-cli edit org.example.editor
        EDITOR='code --wait' settings-cli edit ./settings.toml
        settings-cli edit org.example.editor --text - < ./settings.toml
      """)

  @OptionGroup var target: TargetArgument
  @Flag(help: "Make a new app, whatever its id.") var create = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Store the text of this file, or with '-' of standard input, without an editor.", valueName: "file"),
    completion: .file())
  var text: String?
  @OptionGroup var condition: UnchangedOption
  @Flag(help: "With --text: print what is wrong with the text as a JSON array of objects, as 'check' does.")
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard text == nil else { return }
    if json { throw ValidationError("'--json' is for '--text', which is missing.") }
    if !condition.ifUnchanged.isEmpty { throw ValidationError("'--if-unchanged' is for '--text', which is missing.") }
  }

  func answer() throws {
    if let text { return try store(textIn: text) }
    // Before any thread starts: one of its own receives them.
    let signals = EditInterruption.block()
    let target = try Target(target)
    let location = try target.location()
    try target.findSchema()
    let opened = try target.openUnread(isForWriting: true, migratingFirst: true)
    if !create { try target.checkKnown(opened, mayBeNew: true) }
    let file = SettingsFile(path: location.file)
    if let document = try? TextReader.document(at: location, showsText: false), document.bytes.isEmpty == false {
      try opened.checkNotNewer()
      // Like any access, this migrates the file to the current version.
      opened.load()
    }
    let before = try file.read().bytes
    let copy = try EditedCopy(of: before ?? [], name: location.name)
    let interruption = EditInterruption(of: copy)
    interruption.start(on: signals)
    let replacement = TextReplacement(opened, before: before)
    let session = EditSession(replacement, copy: copy, interruption)
    do {
      try session.run()
    } catch {
      guard !session.isDiscarded, copy.hasChanges else {
        copy.remove()
        throw error
      }
      let failure = ToolError(any: error)
      let message = failure.message ?? ""
      // The last of several lines may be a list's, or have a mark below a place in the text.
      let gap = message.contains("\n") ? "\n" : " "
      throw ToolError(failure.status, "\(message)\(gap)Your text is in '\(copy.path)'.")
    }
    copy.remove()
  }
}

/// The copy that the editor opens, in a directory that nobody else can open.
struct EditedCopy: Sendable {
  let directory: String
  let path: String

  /// The text of the file when the copy was made.
  let original: [UInt8]

  init(of bytes: [UInt8], name: String) throws {
    let base = ["XDG_RUNTIME_DIR", "TMPDIR"].compactMap { ProcessFacts.variable($0) }.first {
      $0.isAbsolutePath && $0.withPath { access($0, W_OK | X_OK) } == 0
    }
    var template = PathText.bytes("\(base ?? "/tmp")/settings-edit-XXXXXX").map { CChar(bitPattern: $0) } + [0]
    guard mkdtemp(&template) != nil else {
      throw ToolError(.io, "Cannot make a directory for the copy in '\(base ?? "/tmp")': \(Errno(errno).message).")
    }
    directory = template.withUnsafeBufferPointer { PathText.text($0.baseAddress!) }
    // A umask may have removed rights of the owner too.
    _ = directory.withPath { chmod($0, 0o700) }
    path = "\(directory)/\(name).toml"
    original = bytes
    do {
      try SettingsFile(path: path).update { _ in bytes }
    } catch {
      remove()
      throw error
    }
  }

  func read() throws -> [UInt8] {
    guard let bytes = try SettingsFile(path: path).read().bytes else {
      throw ToolError(.io, "The editor removed '\(path)'. Nothing was written.")
    }
    return bytes
  }

  /// Whether the text is another one, or the editor has left a file of its own: it may hold what was not saved.
  var hasChanges: Bool {
    if let text = try? SettingsFile(path: path).read().bytes, text != original { return true }
    return names.contains { "\(directory)/\($0)" != path }
  }

  private var names: [String] { (try? Syscalls().names(in: directory)) ?? [] }

  func remove() {
    // Editors may leave files in the directory.
    for name in names { try? Syscalls().unlink("\(directory)/\(name)") }
    _ = directory.withPath { rmdir($0) }
  }
}
