extension String {
  /// The string without blanks and line breaks at its ends.
  package var withoutBlanks: String {
    func isBlank(_ character: Character) -> Bool { character.isWhitespace }
    var text = self[...]
    while let first = text.first, isBlank(first) { text.removeFirst() }
    while let last = text.last, isBlank(last) { text.removeLast() }
    return String(text)
  }
}
