/// The name by which the Objective-C runtime knows a class of Swift that is nested, private or generic, as it stands in
/// archives: `_TtCC5MyApp4Pond4Frog` is `MyApp.Pond.Frog`.
struct MangledClassName {
  /// The class's own name.
  let name: Substring

  /// - Returns: `nil` for other names, and for classes in functions.
  init?(_ text: String) {
    var rest = text[...]
    func take(_ prefix: String) -> Bool {
      guard rest.hasPrefix(prefix) else { return false }
      rest.removeFirst(prefix.count)
      return true
    }
    /// A number, and that many characters.
    func identifier() -> Substring? {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      guard let count = Int(digits), count > 0, count <= rest.utf8.count else { return nil }
      rest.removeFirst(digits.count)
      let name = rest.prefix(count)
      guard name.count == count else { return nil }
      rest.removeFirst(count)
      return name
    }
    guard take("_Tt") else { return nil }
    // The arguments of a generic class follow its name.
    let isGeneric = take("G")
    // One letter for each type: a class, a structure or an enumeration. The outermost name comes first.
    let kinds = rest.prefix { "CVO".contains($0) }
    guard kinds.first == "C" else { return nil }
    rest.removeFirst(kinds.count)
    guard take("s") || take("S_") || identifier() != nil else { return nil }
    var last: Substring?
    for _ in kinds {
      // A private type has the mark of its file before its name.
      if take("P") { guard identifier() != nil else { return nil } }
      last = identifier()
      guard last != nil else { return nil }
    }
    guard let last, isGeneric || rest.isEmpty else { return nil }
    name = last
  }
}
