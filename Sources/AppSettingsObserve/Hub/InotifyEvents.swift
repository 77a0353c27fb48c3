internal import AppSettings
internal import Glibc

/// The source of the hub's events: an inotify instance, read through libinotifytools or straight from the kernel.
///
/// An instance must not be shared between threads: the hub's thread creates it, uses it and closes it.
package protocol InotifyEvents: AnyObject {
  /// The instance's descriptor, readable while events wait in the kernel's queue.
  var descriptor: CInt { get }

  /// The next event that has already happened, or `nil` if there is none. Never waits.
  func next() -> InotifyEvent?

  /// Closes the instance. Nothing may be called afterwards.
  func close()
}

extension InotifyEvents {
  /// Watches a directory, or replaces the mask of a directory that is watched already.
  ///
  /// - Returns: The watch's descriptor, or the reason why there is none.
  func watch(_ path: String, for events: WatchEvents) -> WatchOutcome {
    let watch = path.withPath { inotify_add_watch(descriptor, $0, events.rawValue) }
    return watch < 0 ? .refused(.error(errno)) : .armed(watch)
  }

  /// Ends a watch. A watch that the kernel has already ended is no error.
  func unwatch(_ watch: CInt) {
    _ = inotify_rm_watch(descriptor, watch)
  }
}

/// The outcome of an attempt to watch a directory.
package enum WatchOutcome: Equatable, Sendable {
  case armed(CInt)
  case refused(WatchRefusal)
  /// The path no longer leads to the directory that the walk found.
  case stale
}

/// Why a directory could not be watched.
package enum WatchRefusal: Equatable, Sendable {
  /// The user has as many inotify instances as the system allows.
  case noInstance
  /// The error number from the kernel.
  case error(CInt)
}

/// One event as read from the kernel.
package struct InotifyEvent: Equatable, Sendable {
  /// The descriptor of the watch; -1 if the queue overflowed.
  package var watch: CInt
  package var events: WatchEvents
  /// The entry of the watched directory; empty for an event of the directory itself.
  package var name = ""
}

/// The kernel's event bits, as masks for a watch and as flags of an event.
package struct WatchEvents: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let attributes = WatchEvents(rawValue: 0x4)
  package static let closedAfterWriting = WatchEvents(rawValue: 0x8)
  package static let movedFrom = WatchEvents(rawValue: 0x40)
  package static let movedTo = WatchEvents(rawValue: 0x80)
  package static let created = WatchEvents(rawValue: 0x100)
  package static let deleted = WatchEvents(rawValue: 0x200)
  package static let selfDeleted = WatchEvents(rawValue: 0x400)
  package static let selfMoved = WatchEvents(rawValue: 0x800)

  package static let unmounted = WatchEvents(rawValue: 0x2000)
  package static let overflowed = WatchEvents(rawValue: 0x4000)
  /// The kernel has ended the watch.
  package static let ended = WatchEvents(rawValue: 0x8000)

  package static let onlyDirectories = WatchEvents(rawValue: 0x0100_0000)
  package static let notOfUnlinkedEntries = WatchEvents(rawValue: 0x0400_0000)

  /// An entry is created, removed or replaced.
  package static let entries: WatchEvents = [.created, .deleted, .movedFrom, .movedTo]
  /// The directory itself is removed or moved. Part of every watch.
  package static let ofSelf: WatchEvents = [.selfDeleted, .selfMoved, .onlyDirectories, .notOfUnlinkedEntries]
}
