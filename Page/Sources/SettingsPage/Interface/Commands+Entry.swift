import Glibc

extension Commands {
  /// The number of the entry of the history that a process has made; `nil` if it has made none.
  func entry(of pid: pid_t, _ place: Trial.Place, after number: Int = 0) async -> Int? {
    await entries(place, limit: 20).first { $0.pid == Int(pid) && $0.number > number }?.number
  }

  /// The number of the newest entry that was recorded; 0 if there is none.
  func newestEntry(_ place: Trial.Place) async -> Int { await entries(place, limit: 5).first?.number ?? 0 }

  private func entries(_ place: Trial.Place, limit: Int) async -> [(number: Int, pid: Int)] {
    let words = ["log", "--json", "--limit=\(limit)"] + place.options + ["--", place.target]
    guard let result = try? await run(words), let entries = try? JSON(parsing: result.output).elements else {
      return []
    }
    return entries.compactMap { entry in
      guard entry["isUnrecorded"]?.flag != true, let number = entry["number"]?.integer else { return nil }
      return (number, entry["pid"]?.integer ?? 0)
    }
  }
}
