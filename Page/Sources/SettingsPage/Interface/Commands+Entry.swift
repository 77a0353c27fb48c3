import AppSettings
import Glibc
import SettingsTools

extension Commands {
  /// The number of the history's entry that a process has made; `nil` if it has made none.
  ///
  /// - Throws: ``CommandError``, or ``Refusal`` if the history cannot be read.
  func entry(of pid: pid_t, _ place: Trial.Place, after number: Int = 0) async throws -> Int? {
    try await entries(place, limit: 1000).first { $0.pid == Int(pid) && $0.number > number }?.number
  }

  /// Where a trial begins: the file of a place, which stays the same if another profile becomes active, the newest
  /// recorded entry of its history, 0 in an empty one, and what has to be made for the file, if it does not exist; `nil` if
  /// the file keeps no history.
  ///
  /// - Throws: As ``entry(of:_:after:)``.
  func beginning(_ place: Trial.Place) async throws -> (place: Trial.Place, newest: Int, made: [String])? {
    let document = try await run(["describe", "--document"] + place.words)
    func member(_ name: String) -> JSONTree? { JSONTree.member(name, of: document.output) }
    var place = place
    if place.options.isEmpty, !place.target.contains("/") {
      place.options = ["--layer=\(member("profile")?.text.map { "profile:\($0)" } ?? "user")"]
    }
    let file = try await run(["path"] + place.words).text.dropLast()
    let made = file.isEmpty ? [] : TrialFile.missing(of: String(file))
    // An app that does not exist yet exits 3.
    guard document.status != 3 else { return (place, 0, made) }
    guard document.status == 0 else { throw Refusal(document) }
    guard member("keepsHistory")?.flag == true else { return nil }
    return (place, try await entries(place, limit: 5).first?.number ?? 0, made)
  }

  /// The digest of the text of a file.
  func digest(_ place: Trial.Place) async throws -> String {
    String(try await run(["get", "--digest"] + place.words).text.dropLast())
  }

  private func entries(_ place: Trial.Place, limit: Int) async throws -> [(number: Int, pid: Int)] {
    let result = try await run(["log", "--json", "--limit=\(limit)"] + place.words)
    // An empty history exits 1; an app that does not exist yet exits 3.
    if result.status == 1 || result.status == 3 { return [] }
    guard result.status == 0, let entries = try? JSONTree(parsing: result.output).elements else {
      throw Refusal(result)
    }
    return entries.compactMap { entry in
      guard entry["isUnrecorded"]?.flag != true, let number = entry["number"]?.integer else { return nil }
      return (number, entry["pid"]?.integer ?? 0)
    }
  }
}
