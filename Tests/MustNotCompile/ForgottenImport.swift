// What AppSettingsObserve has, where its import is missing: checked without the other files, which import it.
import AppSettings

func forgottenImport(_ settings: SettingsStore, _ owner: SettingsStore) async {
  // error: 'updates(_:initial:includingDuplicates:)' is unavailable: add 'import AppSettingsObserve' to this file
  for await size in settings.updates(.size) { take(size) }
  // error: 'updates(_:initial:includingDuplicates:)' is unavailable: add 'import AppSettingsObserve' to this file
  for await (size, name) in settings.updates(.size, .name, initial: false) { print(size, name) }
  // error: 'updates(_:initial:includingDuplicates:)' is unavailable: add 'import AppSettingsObserve' to this file
  for await snapshot in settings.updates([.size, .name]) { print(snapshot[.size]) }
  // error: 'updates(_:initial:)' is unavailable: add 'import AppSettingsObserve' to this file
  for await servers in settings.updates(.servers) { print(servers.count) }
  // error: 'changes' is unavailable: add 'import AppSettingsObserve' to this file
  for await change in settings.changes(.size) { print(change.old, change.new) }
  // error: 'changes()' is unavailable: add 'import AppSettingsObserve' to this file
  for await batch in settings.changes() { print(batch.paths) }
  // error: 'snapshots(initial:)' is unavailable: add 'import AppSettingsObserve' to this file
  for await snapshot in settings.snapshots() { print(snapshot[.size]) }
  // error: 'problems' is unavailable: add 'import AppSettingsObserve' to this file
  for await problem in settings.problems { print(problem.message) }
  // error: 'observe(_:initial:includingDuplicates:_:)' is unavailable: add 'import AppSettingsObserve' to this file
  let observation = settings.observe(.theme) { theme in if theme == .dark { print("dark") } }
  // error: 'observe(_:tiedTo:initial:includingDuplicates:_:)' is unavailable: add 'import AppSettingsObserve' to this file
  settings.observe(.size, tiedTo: owner) { owner, size in print(owner, size) }
  // error: 'observeChanges' is unavailable: add 'import AppSettingsObserve' to this file
  let changes = settings.observeChanges(.size) { change in print(change.old) }
  // error: 'follow()' is unavailable: add 'import AppSettingsObserve' to this file
  settings.follow()
  print(observation, changes)
}
