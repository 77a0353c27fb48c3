public import AppSettings
public import Foundation

extension Locale: SettingsSerializable {
  /// Stored as a string, the identifier: `"de_AT"`, `"zh-Hant-TW"`, `"en_US@calendar=buddhist"`.
  ///
  /// `Locale` itself accepts any text. This bridge rejects text that does not have the form of an identifier.
  public static let settingsBridge = String.settingsBridge.map(
    expecting: "a locale's identifier, like \"de_AT\"",
    read: { text in hasForm(text) ? Locale(identifier: text) : nil }, write: \.identifier)

  private static func hasForm(_ text: String) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard let tags = parts.first, parts.count <= 2 else { return false }
    // The root locale has no language.
    let tagsAreFine =
      tags.isEmpty
      || tags.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "_" || $0 == "-" }).enumerated()
        .allSatisfy { index, tag in
          (index == 0 ? 2...8 : 0...8).contains(tag.utf8.count) && tag.allSatisfy { isLetterOrDigit($0) }
        }
    guard tagsAreFine, parts.count == 2 else { return tagsAreFine }
    return parts[1].split(separator: ";", omittingEmptySubsequences: false).allSatisfy { keyword in
      let pair = keyword.split(separator: "=", omittingEmptySubsequences: false)
      return pair.count == 2
        && pair.allSatisfy { !$0.isEmpty && $0.allSatisfy { isLetterOrDigit($0) || "-_/+".contains($0) } }
    }
  }

  private static func isLetterOrDigit(_ character: Character) -> Bool {
    character.isASCII && (character.isLetter || character.isNumber)
  }
}
