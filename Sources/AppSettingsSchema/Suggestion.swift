import AppSettings

/// Finds the name that a user probably meant.
package enum Suggestion {
  /// Returns the name nearest to a mistyped one; `nil` if none is near.
  ///
  /// A name is near if it takes at most one insertion, deletion, replacement or swap of neighbours for each three
  /// characters. Case makes no difference, nor the difference of `_` and `-`.
  package static func nearest(to text: String, among names: some Sequence<String>) -> String? {
    let wanted = normal(text)
    // A longer text was not typed by a person.
    guard !wanted.isEmpty, wanted.count <= 200 else { return nil }
    var best: (name: String, distance: Int)?
    for name in names {
      let candidate = normal(name)
      let limit = min(max(1, max(wanted.count, candidate.count) / 3), (best?.distance ?? .max) - 1)
      guard limit >= 0, abs(candidate.count - wanted.count) <= limit, candidate.count <= 200 else { continue }
      let distance = distance(wanted, candidate)
      if distance <= limit { best = (name, distance) }
    }
    return best?.name
  }

  /// Returns the apps whose ids end as a typed one, part by part: `org.example.editor` for `editor`.
  package static func apps(endingIn id: String, among ids: some Sequence<String>) -> [String] {
    let wanted = parts(of: id)
    return ids.filter { id in
      let parts = parts(of: id)
      return !wanted.isEmpty && parts.count > wanted.count && parts.suffix(wanted.count).elementsEqual(wanted)
    }
  }

  private static func parts(of id: String) -> [String] { id.split(separator: ".").map { $0.lowercased() } }

  /// Returns the app whose id was probably meant: one that ends as the typed one, as `org.example.editor` does for
  /// `editor` and `org.editor`, or else one that differs from it by typos. What all apps of an organization begin with
  /// is no likeness.
  package static func app(nearest id: String, among ids: some Sequence<String>) -> String? {
    let wanted = parts(of: id)
    guard let last = wanted.last else { return nil }
    let parts = ids.map { (id: $0, parts: Self.parts(of: $0)) }
    // The shortest is that with the least that was not typed.
    let same = parts.filter { $0.parts.last == last && $0.parts.count > wanted.count }
    if let found = same.min(by: { $0.parts.count < $1.parts.count }) { return found.id }
    let typos = parts.filter { candidate in
      guard candidate.parts.count == wanted.count else { return false }
      return zip(candidate.parts, wanted).allSatisfy { part, typed in nearest(to: typed, among: [part]) != nil }
    }
    if let found = nearest(to: id, among: typos.map(\.id)) { return found }
    guard wanted.count == 1, last.count > 4 else { return nil }
    let end = nearest(to: last, among: parts.compactMap(\.parts.last))
    return end.flatMap { end in parts.first { $0.parts.last == end }?.id }
  }

  private static func normal(_ text: String) -> [UInt8] {
    text.lowercased().utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
  }

  /// The optimal string alignment distance.
  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var before = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1] + [Int](repeating: 0, count: b.count)
      for j in b.indices {
        row[j + 1] = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { row[j + 1] = min(row[j + 1], before[j - 1] + 1) }
      }
      (before, last) = (last, row)
    }
    return last[b.count]
  }
}
