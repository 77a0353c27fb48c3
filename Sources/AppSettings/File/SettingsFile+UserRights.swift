import Glibc

extension SettingsFile {
  /// Reads the file with the rights of a user.
  ///
  /// If a user names the file, root reads it with that user's rights: otherwise the user could make root read any file.
  ///
  /// - Parameter rights: The user's rights; `nil` for those of this process.
  /// - Throws: ``SettingsError`` as ``read()``.
  package func read(with rights: UserRights?) throws(SettingsError) -> Contents {
    guard let rights else { return try read() }
    do throws(SettingsError) {
      return try SettingsError.ofSystem("read", path) { try rights.perform { [self] in try read() } }
    } catch let error where error.code == .readOnly {
      throw SettingsError(
        .readOnly,
        "Cannot read '\(path)': user \(rights.user) has no permission. It is read with that user's rights, not "
          + "root's, because the schema that names it belongs to that user.", file: path)
    }
  }
}
