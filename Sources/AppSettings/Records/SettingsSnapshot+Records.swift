extension SettingsSnapshot {
  /// The readable records under a key at the snapshot's moment, in the order of the file.
  ///
  /// ```swift
  /// let snapshot = settings.snapshot
  /// let (profiles, theme) = (snapshot[.profiles], snapshot[.theme])   // of the same moment
  /// ```
  ///
  /// Records that cannot be read are left out and not reported as problems.
  public subscript<Record>(records: SettingsRecordKey<Record>) -> [Record] { records.listing(in: self).records }
}
