import AppSettings
import AppSettingsSchema

/// The ids of apps, and what was probably meant by an unknown one.
package enum AppName {
  /// The failure for an app without settings and without a schema; `nil` if none is like it and it may be new.
  ///
  /// - Parameter mayBeNew: Whether the verb can make an app.
  package static func unknown(
    _ target: String, mayBeNew: Bool = false, environment variables: [String: String]? = nil
  ) -> ToolError? {
    let known = ((try? InstalledApp.all(environment: variables).map(\.app)) ?? []).filter { $0 != target }
    let ending = Suggestion.apps(endingIn: target, among: known)
    let names = ending.count > 1 ? ending : [Suggestion.app(nearest: target, among: known)].compactMap(\.self)
    if mayBeNew, names.isEmpty { return nil }
    let shown = names.prefix(4).map { "'\($0)'" }.joined(separator: names.count == 2 ? " or " : ", ")
    var failure = ToolError(
      .unknown,
      "Unknown app '\(target)': it has neither settings nor a schema."
        + (names.isEmpty
          ? withKey(target).map { " The app and the key are two words: '\($0)'." }
            ?? " 'settings-cli apps' lists the apps."
          : names.count > 2 ? " Did you mean one of \(shown)?" : " Did you mean \(shown)?")
        + (mayBeNew ? " To make a new app, use --create." : ""))
    if ending.count == 1 { failure.meantApp = MeantApp(typed: target, id: ending[0]) }
    return failure
  }

  /// The app that a word begins with, and the rest of it as a key: `org.example.editor theme` for
  /// `org.example.editor.theme`.
  package static func withKey(_ word: String) -> String? {
    guard word.last != "." else { return nil }
    var app = word[...]
    while let dot = app.lastIndex(of: ".") {
      app = app[..<dot]
      if InstalledApp.isKnown(String(app)) { return "\(app) \(word[word.index(after: dot)...])" }
    }
    return nil
  }

  /// Throws if a target is an app without a file in any layer and without a schema.
  ///
  /// - Throws: ``ToolError`` with status 3 and a suggestion.
  package static func checkKnown(_ target: String, environment variables: [String: String]? = nil) throws {
    guard !target.utf8.contains(UInt8(ascii: "/")), try InstalledApp.find(target, environment: variables).isUnknown,
      let failure = unknown(target, environment: variables)
    else { return }
    throw failure
  }
}
