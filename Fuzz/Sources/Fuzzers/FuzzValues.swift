import AppSettings
import AppSettingsFoundation
import Foundation

/// Every storable type reads or refuses any text as the file's value, as a string and as the key of a table, and what it
/// reads it writes and reads again.
func fuzzValues(_ input: [UInt8]) {
  guard let choice = input.first else { return }
  let text = String(decoding: input.dropFirst(), as: UTF8.self)
  var values: [TOMLValue] = [.string(text), .table([text: 1]), [.string(text)]]
  if let value = try? TOMLValue(parsing: text) {
    values += [value, [value], [value, value], ["name": value], .table(["name": "x", text: value])]
  }
  if let document = try? TOMLDocument(parsing: text) { values.append(.table(document.root)) }
  // Some types an input, so that an input is quick; each sees every text in the end.
  for index in types.indices where index % 8 == Int(choice) % 8 {
    for value in values {
      if let fault = types[index].fault(value) { fatalError("\(types[index].name) \(fault)") }
    }
  }
  for index in forms.indices where index % 8 == Int(choice) % 8 { forms[index](text) }
}

private let types =
  StorableType.all + [
    StorableType(CGFloat.self), StorableType(CGPoint.self), StorableType(CGSize.self), StorableType(CGRect.self),
    StorableType(Locale.self), StorableType([CGRect].self), StorableType([Locale: Int].self),
    StorableType([CGFloat: Int].self),
    StorableType(Set<Locale>.self),
  ]

/// Reading a text as the JSON that an older release stored.
private let forms: [@Sendable (String) -> Void] = [
  { form(Int.self, $0) }, { form(Double.self, $0) }, { form(String.self, $0) }, { form(Date.self, $0) },
  { form(Decimal.self, $0) }, { form(URL.self, $0) }, { form(Character.self, $0) }, { form([Date].self, $0) },
  { form(Set<Double>.self, $0) }, { form([Character: Int].self, $0) }, { form([UUID: AnyRecord].self, $0) },
  { form(AnyRecord.self, $0) }, { form(AnyTree.self, $0) }, { form(AnyShape.self, $0) }, { form(AnyPile.self, $0) },
  { form(Range<Int>.self, $0) }, { form(Duration.self, $0) }, { form(TOMLValue.self, $0) },
  { form(AnyColor?.self, $0) },
]

/// A value of an old form becomes one that is stored, or the text stays.
private func form<T: SettingsSerializable & Sendable>(_ type: T.Type, _ text: String) {
  var document = TOMLDocument()
  guard (try? document.set(.string(text), at: ["k"])) != nil else { return }
  let before = document
  let key = SettingsKey<T?>("k")
  for (step, isNative) in [(MigrationStep.migrate(key, from: .json), true), (.decodeJSONString("k"), false)] {
    var migrated = document
    guard (try? step.run(on: &migrated)) != nil else { continue }
    precondition((try? TOMLDocument(parsing: migrated.bytes))?.root == migrated.root)
    guard isNative else { continue }
    // What it gave is native: a second time nothing changes.
    let once = migrated.bytes
    precondition(
      (try? step.run(on: &migrated)) != nil && migrated.bytes == once, "\(type): \(before.text) \(migrated.text)")
  }
}
