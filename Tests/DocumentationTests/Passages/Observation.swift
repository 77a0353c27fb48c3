import AppSettings
import AppSettingsObserve
import Testing

// Passages of docs/observation.md.

/// A view that shows some settings.
actor Preview {
  var shown: [String] = []
  func show(_ text: String) { shown.append(text) }
}

@Suite struct Observation {
  @Test func `values as they change`() async throws {
    let settings = SettingsStore(inMemory: "")
    let preview = Preview()

    let task = Task {
      for await columns in settings.updates(.columns) {
        await preview.show("\(columns) columns")
      }
    }
    task.cancel()  // ends the loop
    await task.value
  }

  @Test func `several keys`() async throws {
    let settings = SettingsStore(inMemory: "")
    let preview = Preview()
    let task = Task {
      for await (columns, language) in settings.updates(.columns, .spelling) {
        await preview.show("\(columns) columns in \(language)")
      }
    }
    task.cancel()
    await task.value
  }

  @Test func `changes`() async throws {
    let settings = SettingsStore(inMemory: "")
    let task = Task {
      for await change in settings.changes(.columns) {
        print("\(change.old) became \(change.new), set by \(change.origin)")
      }
    }
    let all = Task {
      for await batch in settings.changes() {
        print("generation \(batch.generation):", batch.paths)
      }
    }
    task.cancel()
    all.cancel()
    await task.value
    await all.value
  }
}
