/// Texts that are looked for within others, in any case, all of them at once: the time does not grow with their number.
struct TextSet: Sendable, Equatable {
  /// The next node of the tree of their bytes, for a node (shifted by eight bits) and a byte. The root is node 0.
  private var edges: [Int: Int] = [:]
  /// Whether a text ends at a node.
  private var isEnd = [false]
  /// Whether a text begins with a byte: most places of a text are none where one could.
  private var isFirst = [Bool](repeating: false, count: 256)

  init() {}

  init(_ texts: some Sequence<String>) {
    for text in texts { insert(text) }
  }

  var isEmpty: Bool { edges.isEmpty && !isEnd[0] }

  mutating func insert(_ text: String) {
    var node = 0
    for byte in text.lowercased().utf8 {
      if node == 0 { isFirst[Int(byte)] = true }
      let edge = node << 8 | Int(byte)
      if let next = edges[edge] {
        node = next
      } else {
        node = isEnd.count
        isEnd.append(false)
        edges[edge] = node
      }
    }
    isEnd[node] = true
  }

  /// Whether one of them is in a text. An empty one is in every text.
  func hasOne(in text: String) -> Bool {
    if isEmpty || isEnd[0] { return isEnd[0] }
    let bytes = Array(text.lowercased().utf8)
    return bytes.indices.contains { isFirst[Int(bytes[$0])] && hasOne(startingAt: $0, in: bytes) }
  }

  private func hasOne(startingAt start: Int, in bytes: [UInt8]) -> Bool {
    var node = 0
    for byte in bytes[start...] {
      guard let next = edges[node << 8 | Int(byte)] else { return false }
      if isEnd[next] { return true }
      node = next
    }
    return false
  }
}
