extension FleetStatus {
  /// One line: `rev 4711: 996 applied, 3 refused (line 7: …), 1 silent for 4 min`.
  ///
  /// Of several refusals it shows the most frequent problem, of several silent machines the longest time.
  public var line: String {
    var parts: [String] = []
    if applied > 0 || (pending + refused + held + silent).isEmpty && missing.isEmpty {
      parts.append("\(applied) applied")
    }
    if !pending.isEmpty { parts.append("\(pending.count) pending\(Self.mostFrequent(pending))") }
    if !refused.isEmpty { parts.append("\(refused.count) refused\(Self.mostFrequent(refused))") }
    if !held.isEmpty { parts.append("\(held.count) held until 'settings-fleet accept'") }
    if let seconds = silent.compactMap(\.silentSeconds).max() {
      parts.append("\(silent.count) silent for \(Self.time(seconds))")
    }
    if !missing.isEmpty { parts.append("\(missing.count) missing") }
    if unreadable > 0 { parts.append("\(unreadable) unreadable") }
    if revision == 0, parts == ["0 applied"] { return "no document" }
    var text = "rev \(revision): " + parts.joined(separator: ", ")
    if let rollout {
      text += "; rollout \(rollout.id): \(rollout.applied) applied, \(rollout.pending) pending"
      if !rollout.refused.isEmpty {
        text += ", \(rollout.refused.count) refused\(Self.mostFrequent(rollout.refused))"
      }
    }
    return text
  }

  /// The most frequent problem, in parentheses after a space; empty if there is none.
  private static func mostFrequent(_ entries: [Entry]) -> String {
    var counts: [String: Int] = [:]
    for entry in entries { if let problem = entry.problem { counts[problem.summary, default: 0] += 1 } }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }.map { " (\($0.key))" } ?? ""
  }

  /// `40 s`, `4 min`, `3 h` or `2 d`, rounded down.
  static func time(_ seconds: Int) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min"
    case ..<86400: "\(seconds / 3600) h"
    default: "\(seconds / 86400) d"
    }
  }
}
