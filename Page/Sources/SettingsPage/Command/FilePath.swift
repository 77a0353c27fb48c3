import Glibc

package enum FilePath {
  /// The path from the root; `nil` if there is no working directory.
  package static func absolute(_ path: String) -> String? {
    guard path.first != "/" else { return path }
    guard let directory = getcwd(nil, 0) else { return nil }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }
}
