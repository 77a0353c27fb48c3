/// A way to a node: a path that can also lead through an element of an array of tables.
struct Location {
  enum Step {
    case key(String)
    case index(Int)
  }

  var steps: [Step]

  init(steps: [Step]) { self.steps = steps }

  init(_ path: TOMLPath) { steps = path.components.map { .key($0) } }

  var isRoot: Bool { steps.isEmpty }

  /// The keys.
  var path: TOMLPath {
    TOMLPath(
      steps.compactMap { step in
        if case .key(let key) = step { key } else { nil }
      })
  }

  func appending(_ key: String) -> Location { Location(steps: steps + [.key(key)]) }

  func appending(_ keys: [String]) -> Location { Location(steps: steps + keys.map { .key($0) }) }

  func appending(index: Int) -> Location { Location(steps: steps + [.index(index)]) }
}
