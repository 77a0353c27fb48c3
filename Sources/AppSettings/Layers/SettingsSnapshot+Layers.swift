package import SettingsTOML

/// One layer's value at a path, and what becomes of it.
///
/// `settings-cli get --layers` shows them.
package struct LayerValue: Sendable {
  /// What becomes of a layer's value.
  package enum State: Sendable, Equatable {
    /// The value is used; a table perhaps with parts from lower layers.
    case used
    /// A table whose parts are used where higher layers have none.
    case merged
    /// A higher layer has a value that replaces this one, at a position in its file.
    case hidden(by: SettingsLayer, at: TOMLPosition?)
    /// A lock makes the value ineffective.
    case ignored
    /// The key's type does not accept the value. Only who knows the type finds that.
    case unusable
  }

  package var layer: SettingsLayer
  /// The path of the value in the layer: the present name, an earlier one, or that of a value above both.
  package var path: TOMLPath
  package var value: TOMLValue
  package var position: TOMLPosition?
  package var state: State

  package init(layer: SettingsLayer, path: TOMLPath, value: TOMLValue, position: TOMLPosition?, state: State) {
    self.layer = layer
    self.path = path
    self.value = value
    self.position = position
    self.state = state
  }
}

extension SettingsSnapshot {
  /// What the person has set: the values of the file that is written, and of the user's file and the profiles below it.
  /// Locks hold as they do in all layers.
  ///
  /// Overrides have no effect in it.
  package var ownValues: SettingsSnapshot {
    let layers = layers.enumerated().map { index, content in
      let isOwn = index == userIndex || [.user, .profile].contains(content.layer.kind)
      return isOwn ? content : content.holding(TOMLDocument(), of: nil)
    }
    return SettingsSnapshot(generation: generation, layers: layers, userIndex: userIndex, pending: pending)
  }

  /// The values that the files have at a path, those of the highest layer first.
  ///
  /// - Parameters:
  ///   - names: The present name of a key, then earlier ones.
  ///   - part: The part of its value to find.
  package func values(at names: [TOMLPath], part: TOMLPath = .root) -> [LayerValue] {
    let (keyLocks, pathLocks) = (locks(of: names), locks(of: names.map { $0.appending(part) }))
    var values: [LayerValue] = []
    var hider: LayerValue?
    var isMerged = false
    for index in layers.indices.reversed() {
      // The first name that has a value in a layer is used there, and hides the others, also with parts that it lacks.
      var used: LayerValue?
      var owner: TOMLPath?
      var seen: Set<TOMLPath> = []
      for key in names {
        defer {
          if !part.isRoot, owner == nil {
            let whole = counted(lookUp(key, in: index), at: key, in: index, under: keyLocks)
            if case .value = whole { owner = key }
          }
        }
        let name = key.appending(part)
        let found = lookUp(name, in: index)
        let path = if case .hidden = found { obstacle(above: name, in: index) ?? name } else { name }
        guard case .value(let value) = lookUp(path, in: index), seen.insert(path).inserted else { continue }
        let isCounted = index <= pathLocks.ceiling && !counted(found, at: name, in: index, under: pathLocks).isAbsent
        var new = LayerValue(
          layer: layers[index].layer, path: path, value: value, position: position(of: path, in: index), state: .ignored
        )
        if let above = used ?? hider, isCounted {
          new.state = .hidden(by: above.layer, at: above.position)
        } else if let owner, isCounted {
          new.state = .hidden(by: layers[index].layer, at: position(of: owner, in: index))
        } else if isCounted {
          new.state = isMerged && found.isTable ? .merged : .used
          used = new
        }
        values.append(new)
      }
      guard let used else { continue }
      if used.value.table == nil { hider = used } else { isMerged = true }
    }
    return values
  }
}
