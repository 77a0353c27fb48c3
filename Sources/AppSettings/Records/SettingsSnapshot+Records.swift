extension SettingsSnapshot {
  /// The records under a key at the snapshot's moment, in the order of the file; those that cannot be read are left out.
  public subscript<Record>(records: SettingsRecordKey<Record>) -> [Record] { records.listing(in: self).records }
}
