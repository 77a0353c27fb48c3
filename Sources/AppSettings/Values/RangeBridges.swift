extension Range: SettingsSerializable where Bound: SettingsSerializable {
  /// An array of the lower bound and the one above the upper: `[10, 20]` for `10..<20`.
  public static var settingsBridge: SettingsBridge<Range<Bound>> {
    makeRangeBridge(read: { $0..<$1 }, write: { [$0.lowerBound, $0.upperBound] })
  }
}

extension ClosedRange: SettingsSerializable where Bound: SettingsSerializable {
  /// An array of the two bounds: `[10, 20]` for `10...20`.
  public static var settingsBridge: SettingsBridge<ClosedRange<Bound>> {
    makeRangeBridge(read: { $0...$1 }, write: { [$0.lowerBound, $0.upperBound] })
  }
}

/// The bridge of both kinds of range; `read` is called with bounds in order only, which a range traps without.
private func makeRangeBridge<Bound: SettingsSerializable & Comparable, Bounds>(
  read: @escaping @Sendable (Bound, Bound) -> Bounds, write: @escaping @Sendable (Bounds) -> [Bound]
) -> SettingsBridge<Bounds> {
  let bounds = [Bound].settingsBridge.core
  let expectation = { @Sendable in
    let bound = Bound.settingsBridge.core.expectation()
    return Expectation(
      bound.many.map { "an array of two \($0), the lower first" }
        ?? "an array of two bounds, the lower first, each \(bound.one)",
      many: bound.many.map { "arrays of two \($0), the lower first" })
  }
  return SettingsBridge(
    expectation: expectation,
    read: { value, context in
      guard case .array(let elements) = value, elements.count == 2 else {
        throw SettingsValueError(expected: expectation().one, found: value)
      }
      let pair = try bounds.read(value, context)
      // Not `lower > upper`: bounds that are not ordered at all, as not-a-number, must not pass.
      guard pair[0] <= pair[1] else { throw SettingsValueError(expected: expectation().one, found: value) }
      return read(pair[0], pair[1])
    },
    write: { value, context in try bounds.write(write(value), context) })
}
