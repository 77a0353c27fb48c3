import AppSettings

extension Shown {
  /// What a type accepts, with its elements and fields.
  static func shape(_ type: SchemaType) -> JSONObject {
    var shape: JSONObject = ["type": .text(type.kind.rawValue), "needs": .text(type.expectedInFull)]
    if let choices = type.choices { shape["choices"] = .value(.array(choices)) }
    if let minimum = type.minimum { shape["minimum"] = .value(minimum) }
    if let maximum = type.maximum { shape["maximum"] = .value(maximum) }
    if let limit = type.limit { shape["below"] = .value(limit) }
    if !type.patterns.isEmpty { shape["pattern"] = .texts(type.patterns) }
    if let count = type.minimumCount { shape["minimumCount"] = .number(count) }
    if let count = type.maximumCount { shape["maximumCount"] = .number(count) }
    if type.isUnique { shape["isUnique"] = .flag(true) }
    if type.isOrdered { shape["isOrdered"] = .flag(true) }
    if let example = type.example { shape["example"] = .value(example) }
    if let ids = type.ids { shape["names"] = .object(Self.shape(ids)) }
    if let element = type.element { shape["element"] = .object(Self.shape(element)) }
    guard let fields = type.fields else { return shape }
    shape["fields"] = .objects(
      fields.map { field in
        var object: JSONObject = [
          "name": .text(field.name), "isRequired": .flag(field.isRequired), "default": .value(field.fallback),
          "shape": .object(Self.shape(field.type)),
        ]
        if !field.summary.isEmpty { object["description"] = .text(field.summary) }
        return object
      })
    if type.isOpen { shape["isOpen"] = .flag(true) }
    return shape
  }
}

extension SchemaType {
  /// Whether its values have elements or fields of which something is known.
  var hasParts: Bool { element != nil || fields != nil || ids != nil || isUnique || isOrdered }
}
