import AppSettings
import AppSettingsObserve
import Foundation
import Testing
import TestSupport

/// Ten thousand changes as fast as they can be made: the last is seen, none twice, and none goes back.
///
/// In processes of their own: so much may be more than the kernel's queue holds, and after that each file that the process
/// watches is looked at, those that other tests are writing at that moment, too.
@Suite(.timeLimit(.minutes(10))) struct BurstTests {
  private enum Way: CaseIterable {
    case rename, inPlace, linkRetargeted, configMap, directory
  }

  @Test func `the last of 10,000 changes is seen, and what is seen is in order`() async throws {
    await #expect(processExitsWith: .success) {
      for way in Way.allCases { try await BurstTests.expectLast(of: way) }
    }
  }

  private static func expectLast(of way: Way) async throws {
    // In memory, where nothing waits for a disk.
    let home = ScratchHome(under: "/dev/shm")
    let directory = (home.file as NSString).deletingLastPathComponent
    switch way {
    case .configMap:
      try home.write("number = 1\n", to: directory + "/..1/settings.toml")
      symlink("..1", directory + "/..data")
      symlink("..data/settings.toml", home.file)
    case .linkRetargeted:
      try home.write("number = 1\n", to: directory + "/1.toml")
      symlink("1.toml", home.file)
    default: try home.write("number = 1\n")
    }
    let settings = try home.store()
    let recorder = Recorder(settings.updates(.number))
    await recorder.wait(for: 1)
    for number in 2...10_000 { change(home.file, in: directory, to: number, way) }
    await recorder.wait(for: 10_000)
    // Where it is gone between two changes, a machine so busy that this takes long may see it gone.
    let seen = recorder.elements.filter { way != .directory || $0 != 0 }
    #expect(seen == seen.sorted(), "\(way)")
    #expect(Set(seen).count == seen.count, "\(way)")
    #expect(!seen.contains(0), "\(way)")
  }

  @Test func `the last of 10,000 changes by another process's store is seen`() async throws {
    await #expect(processExitsWith: .success) {
      let home = ScratchHome(under: "/dev/shm")
      try home.write("counter = 0\n")
      let settings = try home.store()
      let counter = SettingsKey("counter", default: -1)
      let recorder = Recorder(settings.updates(counter))
      await recorder.wait(for: 0)
      #expect(try await home.run("'\(ChildProcess.product("settings-probe"))' count $F 10000") == 0)
      await recorder.wait(for: 10_000)
      #expect(recorder.elements == recorder.elements.sorted())
      #expect(Set(recorder.elements).count == recorder.elements.count)
    }
  }

  private static func change(_ file: String, in directory: String, to number: Int, _ way: Way) {
    let text = "number = \(number)\n"
    let new = directory + "/new"
    switch way {
    case .rename:
      put(text, new)
      rename(new, file)
    case .inPlace: put(text, file)
    case .linkRetargeted:
      put(text, "\(directory)/\(number).toml")
      symlink("\(number).toml", new)
      rename(new, file)
      unlink("\(directory)/\(number - 1).toml")
    case .configMap:
      mkdir("\(directory)/..\(number)", 0o700)
      put(text, "\(directory)/..\(number)/settings.toml")
      symlink("..\(number)", new)
      rename(new, directory + "/..data")
      unlink("\(directory)/..\(number - 1)/settings.toml")
      rmdir("\(directory)/..\(number - 1)")
    case .directory:
      unlink(file)
      rmdir(directory)
      mkdir(directory, 0o700)
      put(text, file)
    }
  }

  private static func put(_ text: String, _ path: String) {
    let file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    #expect(write(file, text, text.utf8.count) == text.utf8.count)
    close(file)
  }
}
