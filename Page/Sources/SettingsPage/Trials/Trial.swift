import Glibc
import SettingsTools

/// A change that is taken back unless it is kept.
struct Trial: Sendable, Equatable {
  /// The file that it is made in.
  struct Place: Sendable, Hashable {
    /// An app's id, or a path.
    let target: String
    /// The options for its layer.
    var options: [String]

    /// Both as the last words of a command, before operands.
    var words: [String] { options + ["--", target] }
  }

  let id: String
  let place: Place
  let keys: [String]
  /// The newest entry of the history before it.
  let after: Int
  /// The file, if it does not exist, and the directories above it that do not: they go with the change.
  var made: [String] = []
  /// The process that makes the change. Its entry in the history has that number, so that it is found there even if
  /// the server is killed before it knows the entry.
  var pid: pid_t?

  /// What its note says.
  var facts: TrialFacts {
    TrialFacts(
      target: place.target, options: place.options, keys: keys, after: after, process: pid.map(Int.init), made: made)
  }
}
