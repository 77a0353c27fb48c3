/// What a parser found wrong: small enough to be thrown on the hot path. It becomes a ``TOMLSyntaxError`` outside.
struct SyntaxFault: Error {
  enum Kind: UInt8 {
    case tooLarge, tooDeep
    case invalidUTF8, bareCarriageReturn, controlInComment, controlInString
    case expectedKey, multilineKey, expectedEquals, duplicateKey, keyIntoFinished
    case expectedHeaderEnd, expectedDoubleHeaderEnd, headerIntoValue, notAnArrayOfTables, tableTwice
    case textAfterHeader, textAfterValue, expectedValue
    case unclosedArray, expectedItem, expectedCommaInArray
    case unclosedInlineTable, expectedMember, expectedCommaInTable
    case unclosedString, unclosedMultilineString, tooManyQuotes, invalidEscape, escapeDigits, escapeNotScalar
    case invalidNumber, invalidFloat, leadingZero, signedBase, integerRange
    case invalidDateTime, dateRange, timeRange
  }

  let kind: Kind
  let at: Int
  /// The node in the way.
  let see: DocumentIndex.ID
  /// Where the unclosed bracket was opened.
  let opened: Int

  init(_ kind: Kind, at: Int, see: DocumentIndex.ID = DocumentIndex.none, opened: Int = -1) {
    self.kind = kind
    self.at = at
    self.see = see
    self.opened = opened
  }
}
