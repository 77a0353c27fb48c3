import AppSettings
import AppSettingsImport
import AppSettingsSchema
import ArgumentParser
import SettingsTools

struct BatchVerb: Verb {
  static let configuration = CommandConfiguration(
    commandName: "batch",
    abstract: "Make many edits from standard input in one write.",
    discussion: """
      Standard input has one JSON object a line:

        {"set": "editor.font-size", "value": 14}
        {"set": "start", "toml": "2026-11-22"}
        {"set": ["servers", "eu.west", "url"], "value": "https://example.org"}
        {"unset": "theme"}
        {"append": "recent", "value": "/tmp/a"}
        {"remove": "recent", "value": "/tmp/b"}
        {"get": "editor.font-size"}

      A key is a dotted key, or an array of its parts. A value has the type that it has in JSON; a string becomes a \
      date if the schema or the present value says so. "toml" is a value in TOML. Each edit sees the ones before it.

      Prints one JSON object for each: line, ok, key, changed, and for 'get' the value that the app reads, with the \
      problem of one that it cannot use; or status and message if it is \
      refused. If one is refused, none is written, unless you use --keep-going. The exit status is that of the first \
      one refused.

      EXAMPLES
        settings-cli batch ./settings.toml < edits.jsonl
        settings-cli batch org.example.editor --dry-run < edits.jsonl
        settings-cli batch ./settings.toml --if-unchanged "$digest" < edits.jsonl
      """)

  @OptionGroup var target: TargetArgument
  @Flag(help: "Write the other edits if some are refused.") var keepGoing = false
  @Flag(help: "Also set keys that the app's schema does not list.") var create = false
  @Flag(help: "Refuse what could not be undone, because the history does not keep it.") var trial = false
  @OptionGroup var pruning: PruneOption
  @OptionGroup var change: ChangeOptions
  @OptionGroup var common: CommonOptions

  func answer() throws {
    let target = try Target(target)
    var guarded = try change.guarded()
    guarded.isTrial = trial
    let input = try StandardInput.batch()
    let opened = try target.open(mayBeUnknown: create, mayBeNew: true, isForWriting: true)
    let list = ChangeList(
      batch: input, of: opened, creates: create, keepsGoing: keepGoing,
      keepsTables: target.keepsTables(prunes: pruning.prune))
    do {
      if try !list.make(guarded).show() { Output.noteStored() }
    } catch is ChangeList.Refused {
      // The answers say which.
    }
    for answer in list.answers {
      if !guarded.isDryRun {
        Output.line(answer.json.text)
      } else if let message = answer.failure?.message {
        Output.error("Line \(answer.line): \(message)")
      }
    }
    if let failure = list.failure { throw ToolError(failure.status) }
  }
}
