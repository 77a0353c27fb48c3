package import AppSettings

/// A value of the own file that a declared file has, too: what the own one changes of it, or only repeats.
package struct DeclaredComparison {
  package let path: TOMLPath
  package let own: LayerValue
  package let declared: LayerValue
  package let isSecret: Bool

  /// The comparisons, in the order of the own file.
  package static func all(in snapshot: SettingsSnapshot, _ schema: SchemaLookup) -> [DeclaredComparison] {
    var seen: Set<TOMLPath> = []
    return snapshot.userDocument.leafPaths().compactMap { leaf in
      let path = schema.names(of: leaf)[0]
      guard !leaf.isReserved, seen.insert(path).inserted else { return nil }
      // A value in the place of a table of keys is found at its own path.
      let values = schema.values(at: path, in: snapshot).filter { value in schema.names(of: path).contains(value.path) }
      guard let own = values.first(where: { $0.layer == snapshot.ownLayer }),
        let declared = values.first(where: { $0.layer.kind == .declared && $0.layer != snapshot.ownLayer })
      else { return nil }
      return DeclaredComparison(
        path: path, own: own, declared: declared,
        isSecret: [own, declared].contains { schema.isSecret(path, $0.value) })
    }
  }

  /// Whether the own value only repeats the declared one.
  package var isRedundant: Bool { own.value == declared.value }

  package var json: JSONObject {
    func shown(_ value: TOMLValue) -> TOMLValue { isSecret ? .string(Shown.redacted) : value }
    return [
      "key": .text(path.description), "value": .value(shown(own.value)), "line": .number(own.position?.line),
      "declared": .value(shown(declared.value)), "declaredFile": .text(declared.layer.file),
      "declaredLine": .number(declared.position?.line), "isRedundant": .flag(isRedundant),
    ]
  }
}
