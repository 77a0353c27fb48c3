import AppSettings
import Glibc
import Testing

/// What errors of the system say to do.
struct SystemMessageTests {
  @Test func `a mount in the way names what to mount`() {
    #expect(
      SettingsError.system(Errno(EBUSY), "write", "/a/b.toml", then: "The file is unchanged.").message
        == "Cannot write '/a/b.toml': it is a mount of its own, as of 'docker run -v FILE:FILE', and cannot be replaced; "
        + "mount its directory instead. The file is unchanged.")
  }

  @Test func `what rights allow and an attribute forbids names the attributes`() {
    let error = SettingsError.system(Errno(EPERM), "write", "/a/b.toml", then: "The file is unchanged.")
    #expect(error.code == .readOnly)
    #expect(
      error.message
        == "Cannot write '/a/b.toml': the system does not permit it. The file is unchanged. If this process is the "
        + "owner's or root's, see 'lsattr' of the file and of its directory: 'chattr -i' or 'chattr -a' removes what "
        + "forbids it.")
    let rights = SettingsError.system(Errno(EACCES), "write", "/a/b.toml")
    #expect(rights.message == "Cannot write '/a/b.toml': this process has no permission.")
  }
}
