/// What people know the verbs as, from other tools or from speech. An unknown verb is answered with one line from it, and
/// carried out if it changes nothing.
///
/// The words are those of gsettings, dconf, git config, defaults, kubectl, snap and apt, and what people guessed. Longer
/// translations, with their options, are in docs/other-tools.md.
package enum KnownElsewhere {
  /// Our command, and the words for it.
  package static let answers: [(command: String, words: String)] = [
    ("get TARGET KEY", "read value query fetch print echo"),
    ("set TARGET KEY VALUE", "write put change update assign store toggle patch"),
    ("set TARGET KEY true", "enable"),
    ("set TARGET KEY false", "disable"),
    ("set TARGET KEY --append VALUE", "append push add insert"),
    ("set TARGET KEY VALUE --create", "create new init"),
    ("unset TARGET KEY", "delete del remove rm clear erase drop"),
    ("unset TARGET --all", "reset-recursively reset-all factory-reset purge wipe"),
    ("list TARGET", "show ls all view values settings cat list-recursively read-all"),
    ("list TARGET --names", "keys list-keys"),
    ("describe TARGET KEY", "info inspect range writable explain type options why man doc about"),
    ("watch TARGET", "monitor follow tail observe listen subscribe events"),
    ("find WORD", "search grep lookup"),
    ("log TARGET", "history journal changes reflog timeline"),
    ("undo TARGET", "revert rollback back"),
    ("redo TARGET", "forward reapply"),
    ("recover TARGET --restore", "restore repair fix rescue"),
    ("export TARGET", "dump save backup output"),
    ("import TARGET FILE", "load apply input merge"),
    ("page TARGET", "gui ui web open window preferences"),
    ("rename TARGET KEY NEWKEY", "mv move rename-section"),
    ("apps", "domains list-schemas list-apps schemas targets programs installed"),
    ("get TARGET KEY --origin", "where which"),
    ("path TARGET", "file location locate dir"),
    ("try TARGET KEY VALUE", "preview temporary test-drive"),
    ("forget APP", "unregister delete-app uninstall"),
    ("edit TARGET", "vi vim nano editor config"),
    ("profile TARGET", "profiles use switch"),
    ("lock TARGET KEY", "locks freeze protect mandatory"),
    ("check TARGET", "status validate verify lint test doctor problems"),
    ("diff TARGET", "compare changed delta"),
    ("blame TARGET", "annotate who origin"),
    ("migrate TARGET", "upgrade convert"),
    ("at TARGET TIME", "checkout snapshot"),
    ("batch TARGET", "script transaction multi"),
    ("completion SHELL", "completions"),
    ("--version", "version -v"),
  ]

  /// The command for a word, without the program's name; `nil` if nobody says so.
  package static func command(
    for word: String, in answers: [(command: String, words: String)] = Self.answers
  ) -> String? {
    let word = word.lowercased()
    return answers.first { $0.words.split(separator: " ").contains { $0 == word } }?.command
  }

  /// The verb of that command.
  package static func verb(for word: String) -> String? { command(for: word)?.prefix { $0 != " " }.description }
}
