import AppSettings
import AppSettingsObserve
import Foundation
import Observation
import Synchronization
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct ObservableSettingsTests {
  let home = ScratchHome()

  @Test func `a value that was read is tracked, and others are not`() throws {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    let view = ObservableSettings(settings, isolation: nil)
    let told = Counter()
    let read = withObservationTracking {
      view.number
    } onChange: {
      told.increment()
    }
    #expect(read == 0)
    settings[.text] = "t"
    settings[.number] = 0
    #expect(told.value == 0)
    settings[.number] = 1
    #expect(told.value == 1)
    // Tracking is for one change.
    settings[.number] = 2
    #expect(told.value == 1)
    #expect(view[.number] == 2)
  }

  @Test func `records that were read are tracked as one`() throws {
    struct Profile: Codable, Identifiable, Sendable, Equatable {
      var id: String
      var region: String
    }
    let profiles = SettingsRecordKey<Profile>("observable-profiles")
    let settings = SettingsStore(inMemory: "", logger: .silent)
    let view = ObservableSettings(settings, isolation: nil)
    let told = Counter()
    func track() -> [String] {
      withObservationTracking {
        view[profiles].map { $0.id + $0.region }
      } onChange: {
        told.increment()
      }
    }
    #expect(track() == [])
    settings[profiles]["a"] = Profile(id: "a", region: "eu")
    #expect(told.value == 1)
    #expect(track() == ["aeu"])
    settings[profiles]["a"] = Profile(id: "a", region: "eu")
    settings[.number] = 7
    #expect(told.value == 1)
    settings[profiles]["a"]?.region = "us"
    #expect(told.value == 2)
    #expect(track() == ["aus"])
    settings[profiles]["a"] = nil
    #expect(told.value == 3)
    #expect(track() == [])
  }

  @Test func `setting through the object, resetting and removing are told`() throws {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    let view = ObservableSettings(settings, isolation: nil)
    let changes: [() -> Void] = [
      { view.number += 1 }, { settings.reset(.number) }, { view[.number] = 5 }, { settings.resetAll() },
      { try? settings.update { $0[.number] = 6 } },
    ]
    for (index, change) in changes.enumerated() {
      let told = Counter()
      withObservationTracking {
        _ = view.number
      } onChange: {
        told.increment()
      }
      change()
      #expect(told.value == 1, "change \(index)")
    }
  }

  @Test func `a change of the file by others is told`() async throws {
    try home.write("number = 1\n")
    let view = ObservableSettings(try home.store(), isolation: nil)
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    withObservationTracking {
      #expect(view.number == 1)
    } onChange: {
      continuation.yield()
    }
    try home.replace("number = 2\n")
    for await _ in stream { break }
    #expect(view.number == 2)
  }

  @Test func `Observations gives the value now and then each that it becomes`() async throws {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    let view = ObservableSettings(settings, isolation: nil)
    let values = Observations { "\(view.number) \(view.text)" }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == "0 none")
    for text in ["a", "b", "c"] {
      settings[.text] = text
      #expect(await iterator.next() == "0 \(text)")
    }
  }

  @MainActor
  @Test func `on an actor the change is told there, and the last of a burst is not missed`() async throws {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    let view = ObservableSettings(settings)
    for round in 1...50 {
      let setter = Task.detached { for step in 1...20 { settings[.number] = round * 100 + step } }
      let tracker = Tracker(view)
      for await value in tracker.values where value == round * 100 + 20 { break }
      await setter.value
    }
  }

  /// Reads anew after each change, as a view does.
  @MainActor private final class Tracker {
    let values: AsyncStream<Int>
    private let view: ObservableSettings
    private let continuation: AsyncStream<Int>.Continuation

    init(_ view: ObservableSettings) {
      self.view = view
      (values, continuation) = AsyncStream.makeStream()
      track()
    }

    private func track() {
      let value = withObservationTracking {
        view.number
      } onChange: {
        Task { @MainActor in self.track() }
      }
      continuation.yield(value)
    }
  }

  @Test func `an object that is gone observes nothing more`() throws {
    let settings = SettingsStore(inMemory: "", logger: .silent)
    weak var gone: ObservableSettings?
    do {
      let view = ObservableSettings(settings, isolation: nil)
      gone = view
      #expect(view.number == 0)
    }
    #expect(gone == nil)
    settings[.number] = 1
  }

  @Test func `an actor that has the object is not kept by it`() throws {
    actor Reader {
      nonisolated let view = Mutex<ObservableSettings?>(nil)
    }
    let settings = SettingsStore(inMemory: "", logger: .silent)
    weak var gone: Reader?
    let view: ObservableSettings
    do {
      let reader = Reader()
      gone = reader
      view = ObservableSettings(settings, isolation: reader)
      reader.view.withLock { $0 = view }
    }
    #expect(gone == nil)
    // Without it, changes are told on the thread that makes them.
    let told = Counter()
    _ = withObservationTracking {
      view.number
    } onChange: {
      told.increment()
    }
    settings[.number] = 1
    #expect(told.value == 1)
  }
}
