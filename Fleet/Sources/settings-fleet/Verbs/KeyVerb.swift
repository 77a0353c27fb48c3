import ArgumentParser
import SettingsFleet
import SettingsTools

struct KeyVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Make a key that signs documents, or one that opens secrets.",
    discussion: """
      Writes a new Ed25519 key to FILE, which only you can read and which must not exist, and prints its public part. \
      Name the file in 'signing-key' of your settings of 'settings-fleet', and the public part in 'trusted-keys' of the \
      machines'. Machines with a trusted key apply only what it has signed.

      With --sealing it is an X25519 key of a machine or a group, which opens sealed secrets. Its public part goes into \
      'sealing-keys' of those who seal; FILE into 'unsealing-keys' of the machine, or to \
      /etc/credstore/settings-fleet.unsealing-key, which systemd hands to the mirror.

      EXAMPLES
        settings-fleet key ~/.config/settings-fleet/signing-key
        settings-fleet key --sealing /etc/credstore/settings-fleet.unsealing-key
      """)

  @Argument(help: "The file to make.", completion: .file()) var file: String
  @Flag(help: "Make a key that opens secrets, not one that signs.") var sealing = false
  @Flag(help: "Print the public part of the existing key in FILE, and make nothing.") var show = false

  func run() async throws {
    try await Failure.reporting {
      for line in sealing ? try sealingParts() : [try publicPart()] { Output.line(line) }
    }
  }

  /// The public part of each key in the file.
  private func sealingParts() throws -> [String] {
    guard show else {
      let key = UnsealingKey()
      try File.create(file, with: Array(key.fileText.utf8))
      return [String(key.sealingKey.fileText.dropLast())]
    }
    return try FleetSettings.unsealingKeys(try File.read(file, isTyped: true), file, atLeast: 1)
      .map { String($0.sealingKey.fileText.dropLast()) }
  }

  private func publicPart() throws -> String {
    let key = show ? try FleetSettings.signingKey(try File.read(file, isTyped: true), file) : SigningKey()
    if !show { try File.create(file, with: Array(key.fileText.utf8)) }
    return String(key.verificationKey.fileText.dropLast())
  }
}
