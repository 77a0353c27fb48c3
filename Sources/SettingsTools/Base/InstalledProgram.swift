import AppSettings
import Glibc

/// The programs that are installed.
package enum InstalledProgram {
  /// The file of this one; `nil` if `/proc` is not mounted.
  package static var own: String? { try? Syscalls().linkTarget("/proc/self/exe") }

  /// The file of a program; `nil` if there is none. A name is looked for beside this program, where a package has its
  /// other programs, and in the directories of `PATH`.
  ///
  /// - Parameter isUsable: Whether a file that is found may be the program.
  package static func path(
    of name: String, searching path: String?, where isUsable: (String) -> Bool = { _ in true }
  ) -> String? {
    if name.contains("/") { return isOne(name) ? name.absolutePath : nil }
    let directory = own.flatMap { own in own.lastSlash.map { String(own[..<$0]) } }
    let directories =
      (directory.map { [$0, $0 + "/../libexec"] } ?? [])
      // An empty entry is the working directory, which is no place for this.
      + (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":").map(String.init).filter(\.isAbsolutePath)
    return directories.map { "\($0)/\(name)" }.first { isUsable($0) && isOne($0) }
  }

  /// Whether a file is a program that this process may run.
  package static func isOne(_ file: String) -> Bool {
    (try? Syscalls().status(at: file))?.isRegular == true && file.withPath { access($0, X_OK) } == 0
  }
}
