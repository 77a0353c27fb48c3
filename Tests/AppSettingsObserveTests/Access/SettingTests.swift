import AppSettings
import AppSettingsObserve
import Testing
import TestSupport

@Suite(.timeLimit(.minutes(10))) struct SettingTests {
  /// The one default store of this process.
  private static let shared: SettingsStore = {
    let store = SettingsStore(inMemory: "number = 7\n", logger: .silent)
    SettingsStore.default = store
    return store
  }()

  private struct Panel {
    @Setting(.number) var number
    @Setting(.list) var list
    @Setting var text: String

    init(_ store: SettingsStore) {
      _number = Setting(.number, in: store)
      _list = Setting(.list, in: store)
      _text = Setting(.text, in: store)
    }

    func resetNumber() { _number.reset() }
  }

  private struct Window {
    @Setting(.number) var number
    @Setting(.nickname) var nickname
  }

  @Test func `a property reads and sets the setting of the store it was given`() throws {
    let settings = SettingsStore(inMemory: "number = 3\n", logger: .silent)
    let panel = Panel(settings)
    #expect(panel.number == 3)
    panel.number += 1
    panel.list.append(5)
    panel.text = "t"
    #expect(settings[.number] == 4)
    #expect(settings[.list] == [5])
    #expect(settings[.text] == "t")
    panel.resetNumber()
    #expect(settings[.number] == 0)
  }

  @Test func `a property's projection is the stream of its value`() async throws {
    let panel = Panel(SettingsStore(inMemory: "", logger: .silent))
    var iterator = panel.$number.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    panel.number = 2
    #expect(await iterator.next() == 2)
  }

  @Test func `without a store the default one is used`() throws {
    _ = Self.shared
    let window = Window()
    #expect(window.number == 7)
    window.nickname = "n"
    #expect(Self.shared[.nickname] == "n")
    // To the same store it may be set again.
    SettingsStore.default = Self.shared
  }
}

@Suite(.timeLimit(.minutes(10))) struct FormerNameStreamTests {
  static let width = SettingsKey("view.width", default: 1, .formerly("width"))
  let home = ScratchHome()

  @Test func `a change under a former name is one of the key`() async throws {
    try home.write("width = 2\n")
    let settings = try home.store()
    var values = settings.updates(Self.width).makeAsyncIterator()
    var pairs = settings.updates(Self.width, .number).makeAsyncIterator()
    var snapshots = settings.updates([Self.width]).makeAsyncIterator()
    #expect(await values.next() == 2)
    let firstPair = await pairs.next()
    #expect(firstPair?.0 == 2)
    let first = await snapshots.next()
    #expect(first?[Self.width] == 2)
    try home.replace("width = 3\n")
    #expect(await values.next() == 3)
    let secondPair = await pairs.next()
    #expect(secondPair?.0 == 3)
    let second = await snapshots.next()
    #expect(second?[Self.width] == 3)
    // The move to the present name is no change of the value; what is set is.
    try await settings.set(4, for: Self.width)
    #expect(await values.next() == 4)
    #expect(home.text() == "[view]\nwidth = 4\n")
  }
}
