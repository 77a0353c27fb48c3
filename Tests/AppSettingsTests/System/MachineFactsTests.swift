import AppSettings
import Testing

/// Facts about the machine and its groups.
struct MachineFactsTests {
  @Test(arguments: [
    ("ada:x:1000:", true), ("ada:x:1000:ada", false), ("ada:x:1000:bob,eve", false), ("staff:x:1001:", false),
    ("", false), ("ada:x:1000", false), ("root:x:0:\nada:x:1000:\n", true), ("ada:x:1000:\nalso:x:1000:eve\n", false),
  ])
  func `a group is private if it is listed without members`(text: String, isPrivate: Bool) {
    #expect(MachineFacts.isPrivate(group: 1000, in: text) == isPrivate)
  }

  @Test func `root's group and a group with another number are not private`() {
    #expect(!MachineFacts.isPrivate(group: 0, of: 0, Syscalls()))
    #expect(!MachineFacts.isPrivate(group: 1001, of: 1000, Syscalls()))
  }
}
