import AppSettings
import Foundation
import Testing

@testable import AppSettingsObserve

struct InotifyEventsTests {
  @Test func `the kernel's events name what happened`() throws {
    let root = TestDirectory()
    let source = try KernelEvents()
    defer { source.close() }
    try expectEvents(of: source, in: root)
  }

  #if InotifyTools
    @Test func `the library gives the same events, again after a restart, without old ones`() async {
      await #expect(processExitsWith: .success) {
        let root = TestDirectory()
        let first = try LibraryEvents()
        #expect(LibraryEvents.isInUse)
        #expect(throws: Errno(EBUSY)) { try LibraryEvents() }
        try expectEvents(of: first, in: root)
        guard case .armed = first.watch(root.path, for: [.ofSelf, .entries]) else { exit(1) }
        // Three events at once: two stay in the library's buffer.
        for name in ["a", "b", "c"] { try root.write("", to: name) }
        #expect(first.next() != nil)
        let descriptor = first.descriptor
        first.close()
        #expect(fcntl(descriptor, F_GETFD) == -1)
        let second = try LibraryEvents()
        #expect(second.next()?.events == .ended)
        #expect(second.next() == nil)
        try root.makeDirectory("again")
        try expectEvents(of: second, in: root)
        second.close()
        #expect(!LibraryEvents.isInUse)
      }
    }

    @Test func `the library's descriptor is closed in programs that are started`() async {
      await #expect(processExitsWith: .success) {
        let source = try LibraryEvents()
        #expect(fcntl(source.descriptor, F_GETFD) & FD_CLOEXEC != 0)
        #expect(readLink("/proc/self/fd/\(source.descriptor)") == "anon_inode:inotify")
        source.close()
      }
    }

    @Test func `the library is not used where it would abort the process`() async {
      await #expect(processExitsWith: .success) {
        var held: [Int32] = []
        while held.last ?? 0 < 1100 { held.append(open("/dev/null", O_RDONLY)) }
        #expect(throws: Errno(ENOTSUP)) { try LibraryEvents() }
        // The hub goes on with the kernel's own calls.
        let root = TestDirectory()
        let witness = Witness(root["f"])
        let subscription = WatchHub.shared.subscribe(
          to: .file(root["f"]), problem: { witness.note($0) }, look: { witness.look($0) })
        await witness.wait(for: nil)
        try root.write("1", to: "f")
        await witness.wait(for: "1")
        #expect(witness.record.problems.isEmpty)
        #expect(!LibraryEvents.isInUse)
        subscription.cancel()
      }
    }
  #endif
}

/// Watches a directory and makes a file in it by a rename.
private func expectEvents(of source: any InotifyEvents, in root: TestDirectory) throws {
  while source.next() != nil {}
  let outcome = source.watch(root.path, for: [.ofSelf, .entries])
  guard case .armed(let watch) = outcome else {
    Issue.record("\(outcome)")
    return
  }
  try root.makeDirectory("old")
  rename(root["old"], root["new"])
  try root.remove("new")
  var seen: [InotifyEvent] = []
  while let event = source.next() { seen.append(event) }
  let bits = WatchEvents(rawValue: 0xFFFF)
  #expect(seen.map(\.name) == ["old", "old", "new", "new"])
  #expect(seen.map { $0.events.intersection(bits) } == [.created, .movedFrom, .movedTo, .deleted])
  #expect(seen.allSatisfy { $0.watch == watch })
  source.unwatch(watch)
  #expect(source.next()?.events == .ended)
  #expect(source.next() == nil)
  source.unwatch(watch)
}
