public import AppSettings
internal import SettingsTOML

/// A key's value before and after a change.
public struct SettingsChange<Value: Sendable>: Sendable {
  /// The value that was delivered last, or that there was when the stream began.
  public var old: Value
  /// The value now.
  public var new: Value
  /// Who made the change; of several that a slow reader gets as one, who made the last.
  public var origin: SettingsChangeOrigin
  /// The layer that the value now is from: the user's file, an administrator's, or `default` if no layer has one.
  public var layer: SettingsLayer

  /// Makes a change.
  public init(old: Value, new: Value, origin: SettingsChangeOrigin, layer: SettingsLayer) {
    self.old = old
    self.new = new
    self.origin = origin
    self.layer = layer
  }
}

extension SettingsChange: Equatable where Value: Equatable {}
extension SettingsChange: Hashable where Value: Hashable {}

extension SettingsStore {
  /// The changes of a key's value from now on, each with the value before it, who made it and the layer it is from.
  ///
  /// ```swift
  /// for await change in settings.changes(.port) where change.old != change.new { server.move(to: change.new) }
  /// ```
  ///
  /// As in ``updates(_:initial:includingDuplicates:)``, a slow reader gets several changes as one: its `old` is the `new` of the
  /// element before. What is taken back meanwhile is no change.
  ///
  /// - Parameter key: The key.
  public func changes<Value>(_ key: SettingsKey<Value>) -> SettingsStream<SettingsChange<Value>> {
    SettingsStream(self, ChangeView(values: ValueView(key: key, initial: false, duplicates: false)), beginsNow: true)
  }

  /// The changes from now on, one element for all that became visible at one moment.
  ///
  /// ```swift
  /// for await batch in settings.changes() { log("changed: \\(batch.paths)") }
  /// ```
  ///
  /// An `update` of several keys is one element, and so is what another program saved at once. A reader that is more
  /// than 64 elements behind gets the rest as one, with the paths of all.
  public func changes() -> SettingsStream<SettingsChangeBatch> {
    SettingsStream(self, BatchView(path: .root), beginsNow: true)
  }

  /// The changes in a table of the file from now on, one element for all that became visible at one moment.
  ///
  /// ```swift
  /// for await batch in settings.changes(under: "editor") { editor.reload(batch.paths) }
  /// ```
  ///
  /// An element's paths are those in the table; what else changed at that moment is not among them. Where all that can
  /// be said is that the table as a whole gave way to another value, or came in the place of one, it is the table's own.
  ///
  /// As ``changes()`` otherwise.
  ///
  /// - Parameter name: The dotted path of the table. One that is not a path is a programming error and traps.
  public func changes(under name: String) -> SettingsStream<SettingsChangeBatch> {
    changes(under: SettingsGroup(name))
  }

  /// The changes in a group from now on, as ``changes(under:)-(String)``.
  public func changes(under group: SettingsGroup) -> SettingsStream<SettingsChangeBatch> {
    SettingsStream(self, BatchView(path: group.path), beginsNow: true)
  }
}

/// One key's changes.
struct ChangeView<Value: Sendable>: MomentView {
  let values: ValueView<Value>

  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter { values.makeWaiter(callback) }

  func remember(_ store: SettingsStore) -> ValueView<Value>.Memory { values.remember(store) }

  func look(
    _ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout ValueView<Value>.Memory
  ) -> SettingsChange<Value>? {
    let (wake, moment) = store.core.moment { waiter.take() }
    return wake.flatMap { look(store, $0, moment, &memory) }
  }

  /// One moment for all, so that the layer is that of the value, and who made the change is who made that one.
  func look(
    _ store: SettingsStore, _ wake: ChangeWaiter.Wake, _ moment: StoreMoment, _ memory: inout ValueView<Value>.Memory
  ) -> SettingsChange<Value>? {
    let old = memory.value
    guard let batch = wake.batch, let new = values.compare(values.remember(store, at: moment), with: &memory)
    else { return nil }
    return SettingsChange(
      old: old, new: new, origin: batch.origin, layer: moment.snapshot.origin(of: values.key as AnySettingsKey).layer)
  }
}

/// Every change at or below a path. The memory is what is still to be delivered of the last wake-up.
private struct BatchView: SettingsView {
  let path: TOMLPath

  func makeWaiter(_ callback: (@Sendable () -> Void)?) -> ChangeWaiter {
    ChangeWaiter(paths: [path], keepsBatches: true, callback: callback)
  }

  func remember(_ store: SettingsStore) -> ArraySlice<SettingsChangeBatch> { [] }

  func rest(_ store: SettingsStore, _ memory: inout ArraySlice<SettingsChangeBatch>) -> SettingsChangeBatch? {
    memory.popFirst()
  }

  func look(
    _ store: SettingsStore, _ waiter: ChangeWaiter, _ memory: inout ArraySlice<SettingsChangeBatch>
  ) -> SettingsChangeBatch? {
    memory = waiter.take()?.batches[...] ?? []
    if !path.isRoot { for index in memory.indices { memory[index].paths = paths(of: memory[index]) } }
    return memory.popFirst()
  }

  private func paths(of batch: SettingsChangeBatch) -> [TOMLPath] {
    let own = batch.paths.filter { $0.hasPrefix(path) }
    // Otherwise a table further up gave way to another value, or came in the place of one.
    return own.isEmpty ? [path] : own
  }
}

extension SettingsChange: CustomStringConvertible {
  /// The values, the layer and who made the change: `12 -> 14 (user /home/alice/.config/org.example.editor/settings.toml, outside)`.
  public var description: String { "\(old) -> \(new) (\(layer), \(origin))" }
}
