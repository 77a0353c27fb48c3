import ArgumentParser
import SettingsFleet

struct KeyVerb: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "Make a key that signs documents.",
    discussion: """
      Writes a new Ed25519 key to FILE, which only you can read and which must not exist, and prints its public part. \
      Name the file in 'signing-key' of your settings of 'settings-fleet', and the public part in 'trusted-keys' of the \
      machines'. Machines with a trusted key apply only what it has signed.

      EXAMPLES
        settings-fleet key ~/.config/settings-fleet/signing-key
      """)

  @Argument(help: "The file to make.", completion: .file()) var file: String
  @Flag(help: "Print the public part of the existing key in FILE, and make nothing.") var show = false

  func run() async throws {
    do {
      Output.line(try publicPart())
    } catch let failure as Failure {
      if let message = failure.message { Output.error(message) }
      throw ExitCode(failure.status)
    }
  }

  private func publicPart() throws -> String {
    do {
      let key: SigningKey
      if show {
        guard let read = SigningKey(fileText: String(decoding: try File.read(file), as: UTF8.self)) else {
          throw Failure(.invalidValue, "'\(file)' is not a signing key. 'settings-fleet key FILE' makes one.")
        }
        key = read
      } else {
        key = SigningKey()
        try File.create(file, with: Array(key.fileText.utf8))
      }
      return String(key.verificationKey.fileText.dropLast())
    } catch let error as File.Failed {
      throw Failure(.io, error.description)
    }
  }
}
