import AppSettings

/// Finds out which objects are usable when some of the objects that they refer to are missing.
///
/// Objects have numbers, in the order in which they are read.
struct ReferenceGraph {
  private struct Request {
    let source: Int
    let target: TOMLPath
    let isRequired: Bool
    let fill: (Any?) -> Void
  }

  private var open: [Int] = []
  private var count = 0
  /// The object read last.
  private(set) var last = 0
  /// The objects read, by the path of their record.
  private var numbers: [TOMLPath: Int] = [:]
  private var requests: [Request] = []
  /// The targets by the path in the references; `nil` until known.
  private var targets: [TOMLPath: (object: Any, number: Int)?] = [:]
  private var asked: [TOMLPath] = []

  /// Notes that the reading of an object begins.
  mutating func begin() {
    count += 1
    open.append(count)
  }

  /// Notes that the reading of an object has ended.
  mutating func end() { last = open.removeLast() }

  /// Notes the record of the object that was the last to be read.
  mutating func note(_ path: TOMLPath) { numbers[path] = last }

  /// Notes a reference in the object that is being read.
  ///
  /// - Returns: A number for the answer, if this is the first reference to its target.
  mutating func request(_ target: TOMLPath, isRequired: Bool, fill: @escaping (Any?) -> Void) -> Int? {
    requests.append(Request(source: open.last ?? 0, target: target, isRequired: isRequired, fill: fill))
    guard targets.updateValue(targets[target] ?? nil, forKey: target) == nil else { return nil }
    asked.append(target)
    return asked.count - 1
  }

  /// Notes the object that the references with a number lead to, and the path of its record.
  mutating func found(_ object: Any, _ path: TOMLPath, for number: Int) {
    targets[asked[number]] = .some(numbers[path].map { (object, $0) })
  }

  /// Fills in the references.
  ///
  /// - Returns: The objects with a required reference to a missing record, or to such an object.
  mutating func fill() -> Set<Int> {
    func target(of request: Request) -> (object: Any, number: Int)? { targets[request.target] ?? nil }
    var dependents: [Int: [Int]] = [:]
    var incomplete: Set<Int> = []
    var queue: [Int] = []
    for request in requests where request.isRequired {
      if let target = target(of: request) {
        dependents[target.number, default: []].append(request.source)
      } else if incomplete.insert(request.source).inserted {
        queue.append(request.source)
      }
    }
    while let number = queue.popLast() {
      for source in dependents[number] ?? [] where incomplete.insert(source).inserted { queue.append(source) }
    }
    for request in requests {
      if let target = target(of: request), !incomplete.contains(target.number) {
        request.fill(target.object)
      } else if !request.isRequired {
        request.fill(nil)
      }
    }
    requests = []
    return incomplete
  }
}
