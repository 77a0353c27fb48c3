import AppSettings

extension Shown {
  /// What a type accepts, with its elements and fields, as a JSON object.
  static func shape(_ type: SchemaType) -> String {
    var members = [("type", JSONText.quoted(type.kind.rawValue)), ("needs", JSONText.quoted(type.expectedInFull))]
    func add(_ name: String, _ value: String?) { if let value { members.append((name, value)) } }
    add("choices", type.choices.map { json(.array($0)) })
    add("minimum", type.minimum.map { json($0) })
    add("maximum", type.maximum.map { json($0) })
    add("below", type.limit.map { json($0) })
    if !type.patterns.isEmpty { add("pattern", json(.array(type.patterns.map { .string($0) }))) }
    add("minimumCount", type.minimumCount.map { String($0) })
    add("maximumCount", type.maximumCount.map { String($0) })
    if type.isUnique { add("isUnique", "true") }
    if type.isOrdered { add("isOrdered", "true") }
    add("example", type.example.map { json($0) })
    add("names", type.ids.map(shape))
    add("element", type.element.map(shape))
    if let fields = type.fields {
      let fields = fields.map { field in
        object(
          [
            ("name", JSONText.quoted(field.name)), ("isRequired", field.isRequired ? "true" : "false"),
            ("default", json(field.fallback)), ("shape", shape(field.type)),
          ] + (field.summary.isEmpty ? [] : [("description", JSONText.quoted(field.summary))]))
      }
      add("fields", "[\(fields.joined(separator: ","))]")
      if type.isOpen { add("isOpen", "true") }
    }
    return object(members)
  }
}

extension SchemaType {
  /// Whether its values have elements or fields of which something is known.
  var hasParts: Bool { element != nil || fields != nil || ids != nil || isUnique || isOrdered }
}
