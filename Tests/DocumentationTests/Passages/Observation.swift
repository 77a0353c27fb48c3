import AppSettings
import AppSettingsObserve
import Observation
import Synchronization
import Testing

// Passages of docs/observation.md.

struct StatusBar {
  @Setting(.columns) var columns

  func run() async {
    for await columns in $columns { print("\(columns) columns") }
  }
}

/// What is set once in a process: compiled, and not run.
private func start() throws {
  SettingsStore.default = try SettingsStore(app: "org.example.editor")
  let settings = try SettingsStore(app: "org.example.editor")
  let ruler = Ruler()
  ruler.width = settings[.columns]
}

struct Observing {
  @Test func `values as they change`() async throws {
    let settings = SettingsStore(inMemory: "")

    let task = Task {
      for await columns in settings.updates(.columns) {
        print("\(columns) columns")
      }
    }
    task.cancel()  // ends the loop
    await task.value
  }

  @Test func `several keys`() async throws {
    let settings = SettingsStore(inMemory: "")
    let task = Task {
      for await (columns, language) in settings.updates(.columns, .spelling) {
        print("\(columns) columns in \(language)")
      }
    }
    let list = Task {
      for await snapshot in settings.updates([.columns, .spelling]) {
        print("\(snapshot[.columns]) columns in \(snapshot[.spelling])")
      }
    }
    for task in [task, list] {
      task.cancel()
      await task.value
    }
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
    let some = Task {
      for await batch in settings.changes(under: "window") {
        print("changed: \(batch.paths)")
      }
    }
    for task in [task, all, some] {
      task.cancel()
      await task.value
    }
  }

  @Test func `callbacks`() {
    let settings = SettingsStore(inMemory: "")
    let ruler = Ruler()

    let observation = settings.observe(.columns) { columns in
      ruler.width = columns
    }
    settings[.columns] = 100
    #expect(ruler.width == 100)
    observation.cancel()

    settings.observe(.columns, tiedTo: ruler) { ruler, columns in
      ruler.width = columns
    }
    settings[.columns] = 120
    #expect(ruler.width == 120)

    settings.withoutPropagation { settings[.columns] = 80 }
    #expect(ruler.width == 120)

    settings.endObservations(tiedTo: ruler)
    settings[.columns] = 90
    #expect(ruler.width == 120)
  }

  @Test func `a callback for several keys`() {
    let settings = SettingsStore(inMemory: "")

    let several = settings.observe(.columns, .spelling) { columns, language in
      print("\(columns) columns in \(language)")
    }

    several.cancel()
  }

  @Test func `a key whose default is computed from another one`() {
    let settings = SettingsStore(inMemory: "")
    let ruler = Ruler()

    let ruled = SettingsKey("view.ruled-columns") { settings[.columns] }
    let both = settings.observe(ruled, .columns) { ruled, _ in
      ruler.width = ruled
    }

    let alone = settings.observe(ruled, initial: false) { _ in Issue.record("The key itself has not changed.") }
    settings[.columns] = 100
    #expect(ruler.width == 100)
    alone.cancel()
    settings[ruled] = 70
    settings[.columns] = 110
    #expect(ruler.width == 70)
    settings.reset(ruled)
    #expect(ruler.width == 110)
    both.cancel()
  }

  @Test func `a stream of changes begins when it is made`() async {
    let settings = SettingsStore(inMemory: "")
    let changes = settings.changes(.columns)
    settings[.columns] = 100
    for await change in changes {
      #expect(change.old == 80 && change.new == 100)
      break
    }
  }

  @Test func `callbacks with the old value`() {
    let settings = SettingsStore(inMemory: "")
    let ruler = Ruler()

    let differences = settings.observeChanges(.columns) { change in
      ruler.width += change.new - change.old
    }
    #expect(ruler.width == 0)
    settings[.columns] = 100
    #expect(ruler.width == 20)
    differences.cancel()
    settings[.columns] = 120
    #expect(ruler.width == 20)

    settings.observeChanges(.columns, tiedTo: ruler) { ruler, change in
      ruler.width += change.new - change.old
    }
    settings[.columns] = 130
    #expect(ruler.width == 30)
  }

  @Test func `properties and views`() {
    let settings = SettingsStore(inMemory: "")
    let ruler = Ruler()

    let view = ObservableSettings(settings)
    withObservationTracking {
      ruler.width = view.columns
    } onChange: {
      print("the number of columns changes")
    }
    #expect(ruler.width == 80)
  }

  @Test func `on the thread that watches`() async {
    let settings = SettingsStore(inMemory: "")
    let ruler = Ruler()
    let task = Task(executorPreference: SettingsWatchExecutor.shared) {
      for await columns in settings.updates(.columns) { ruler.width = columns }
    }
    task.cancel()
    await task.value
  }
}

/// Something with a width that any thread may set.
final class Ruler: Sendable {
  private let value = Mutex(0)

  var width: Int {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
