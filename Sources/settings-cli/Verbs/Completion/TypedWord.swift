/// A word that is being typed in bash or zsh.
///
/// The shell keeps a part of it and replaces the rest by what we say: an open quote and what is before it, or a part that
/// ends in a `=`.
struct TypedWord {
  /// What the shell keeps.
  let head: ShellText
  /// All that is typed.
  let whole: ShellText
  /// Whether the shell closes the quote that is open at the end of the head.
  private let isClosed: Bool

  init(_ raw: String, keeping head: String, isClosed: Bool = false) {
    self.head = ShellText(head)
    whole = ShellText(raw)
    self.isClosed = isClosed
  }

  /// What the shell replaces.
  private var rest: String { String(whole.finished.unicodeScalars.dropFirst(head.raw.unicodeScalars.count)) }

  /// Writes the only candidate.
  func written(_ text: String) -> String { closed(beginning(text, isWhole: true)) }

  /// Writes several candidates, all of which begin with the same text.
  func written(_ texts: [String], sharing shared: String) -> [String] {
    let (start, quote) = beginning(shared, isWhole: false)
    let style: ShellText.Style = rest.contains("\\") ? .backslashes : .quotes
    return texts.map { text in
      let end = ShellText.written(text.after(shared), in: quote, style: style, isStart: (head.raw + start).isEmpty)
      return closed((start + end.text, end.quote))
    }
  }

  /// Writes the beginning of a word: what is typed stays as far as it can.
  func beginning(_ text: String, isWhole: Bool) -> (text: String, quote: ShellText.Quote) {
    let isStart = head.raw.isEmpty
    guard !whole.hasExpansions, text.starts(withScalars: whole.value),
      whole.hasQuotes || ShellText.isPlain(text) || text == whole.value
    else { return ShellText.written(text.after(head.value), in: head.quote, isStart: isStart) }
    let style: ShellText.Style = isWhole && rest.contains("\\") ? .backslashes : .quotes
    let added = ShellText.written(text.after(whole.value), in: whole.quote, style: style, isStart: whole.raw.isEmpty)
    return (rest + added.text, added.quote)
  }

  private func closed(_ part: (text: String, quote: ShellText.Quote)) -> String {
    isClosed && part.quote == head.quote ? part.text : part.text + part.quote.sign
  }
}

extension ShellText {
  fileprivate static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy(isSafe) }
}

extension String {
  /// Whether it begins with a text, scalar by scalar: a shell inserts and removes scalars.
  func starts(withScalars text: String) -> Bool { unicodeScalars.starts(with: text.unicodeScalars) }

  /// The part after a text that it begins with.
  func after(_ text: String) -> Substring {
    self[(unicodeScalars.index(unicodeScalars.startIndex, offsetBy: text.unicodeScalars.count))...]
  }
}
