import AppSettings

extension ChangeList {
  /// A change of several, by the present name of its path.
  struct Place: Hashable {
    let path: TOMLPath
    let isRemoval: Bool
  }

  /// The values with the changes made so far.
  struct State {
    var view: SettingsSnapshot
    var number: UInt64 = 0
    /// The keys whose former names have been dealt with.
    var settled: Set<TOMLPath> = []
    /// The first elements that arrays had before their elements were changed; `nil` for none.
    var firstElements: [TOMLPath: TOMLValue?] = [:]

    /// The value in the file itself.
    func own(_ path: TOMLPath) -> TOMLValue? {
      let found = view.pending.lookUp(path) {
        view.userDocument[path].map { .value($0) } ?? .absent
      }
      if case .value(let value) = found { return value }
      return nil
    }
  }
}
