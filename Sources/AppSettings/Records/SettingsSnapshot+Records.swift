extension SettingsSnapshot {
  /// The readable records under a key at the snapshot's moment, in the order of the file.
  public subscript<Record>(records: SettingsRecordKey<Record>) -> [Record] { records.listing(in: self).records }
}
