public import AppSettings
internal import SettingsTOML

/// A change of a key's value: the value before and after.
public struct SettingsChange<Value: Sendable>: Sendable {
  /// The value delivered last, or the one at the start of the stream.
  public package(set) var old: Value
  /// The value now.
  public package(set) var new: Value
  /// Who made the change. If a slow reader gets several changes as one, this is who made the last of them.
  public package(set) var origin: SettingsChangeOrigin
  /// The layer of the new value: the user's file, an administrator's file, or `default` if no layer has a value.
  public package(set) var layer: SettingsLayer
  /// Whether the key is secret, so that ``description`` does not show the values.
  var isSecret = false

  /// Creates a change.
  package init(old: Value, new: Value, origin: SettingsChangeOrigin, layer: SettingsLayer) {
    self.old = old
    self.new = new
    self.origin = origin
    self.layer = layer
  }
}

extension SettingsChange: Equatable where Value: Equatable {
  /// Compares the values, the origin and the layer.
  public static func == (a: Self, b: Self) -> Bool {
    a.old == b.old && a.new == b.new && a.origin == b.origin && a.layer == b.layer
  }
}

extension SettingsStore {
  /// Streams the later changes of a key's value, each with the old value, who made it, and the layer of the new value.
  ///
  /// ```swift
  /// for await change in settings.changes(.port) where change.old != change.new { server.move(to: change.new) }
  /// ```
  ///
  /// As in ``updates(_:initial:includingDuplicates:)``, a slow reader gets several changes as one: its `old` is the
  /// `new` of the previous element. A change that was undone meanwhile is left out.
  ///
  /// - Parameter key: The key.
  /// - Returns: The stream.
  public func changes<Value>(_ key: SettingsKey<Value>) -> SettingsStream<SettingsChange<Value>> {
    SettingsStream(self, ChangeView(values: ValueView(key: key, initial: false, duplicates: false)), beginsNow: true)
  }

  /// Streams all later changes, with everything that became visible at one moment in one element.
  ///
  /// ```swift
  /// for await batch in settings.changes() { log("changed: \\(batch.paths)") }
  /// ```
  ///
  /// An `update` of several keys is one element, and so is everything that another program saved at once. A reader that
  /// falls more than 64 elements behind gets the rest as one element with all their paths.
  public func changes() -> SettingsStream<SettingsChangeBatch> {
    SettingsStream(self, BatchView(path: .root), beginsNow: true)
  }

  /// Streams the later changes in a table of the file, with everything that became visible at one moment in one
  /// element.
  ///
  /// ```swift
  /// for await batch in settings.changes(under: "editor") { editor.reload(batch.paths) }
  /// ```
  ///
  /// An element lists only paths in the table, not what else changed at that moment. It lists the path of the table
  /// itself if the table as a whole was replaced by another value, or replaced one. Everything else is as in
  /// ``changes()``.
  ///
  /// - Parameter name: The dotted path of the table, such as the name of a group. A malformed path is a programming
  ///   error and traps.
  /// - Returns: The stream.
  public func changes(under name: String) -> SettingsStream<SettingsChangeBatch> {
    SettingsStream(self, BatchView(path: SettingsGroup(name).path), beginsNow: true)
  }
}

/// The changes of one key.
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

  /// Reads everything at one moment, so that the layer and the origin are those of this value.
  func look(
    _ store: SettingsStore, _ wake: ChangeWaiter.Wake, _ moment: StoreMoment, _ memory: inout ValueView<Value>.Memory
  ) -> SettingsChange<Value>? {
    let old = memory.value
    guard let batch = wake.batch, let new = values.compare(values.remember(store, at: moment), with: &memory)
    else { return nil }
    var change = SettingsChange(
      old: old, new: new, origin: batch.origin, layer: moment.snapshot.origin(of: values.key as AnySettingsKey).layer)
    change.isSecret = values.key.isSecret
    return change
  }
}

/// Every change at or below a path. The memory holds what remains to deliver of the last wake-up.
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
    // Without one, a table further up was replaced by another value, or replaced one.
    return own.isEmpty ? [path] : own
  }
}

extension SettingsChange: CustomStringConvertible {
  /// The values, the layer and who made the change:
  /// `12 -> 14 (user /home/alice/.config/org.example.editor/settings.toml, outside)`. The values of a secret key appear
  /// as `(secret)`.
  public var description: String {
    isSecret ? "(secret) -> (secret) (\(layer), \(origin))" : "\(old) -> \(new) (\(layer), \(origin))"
  }
}
