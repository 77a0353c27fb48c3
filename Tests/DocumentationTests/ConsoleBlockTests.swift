import Foundation
import Testing
import TestSupport

/// The console sessions in the documents do what they show.
///
/// The blocks of one document are one session, in a scratch home. A line `$ COMMAND` is run, with its here-document if it
/// has `<<'END'`; the lines up to the next command are what it has to print, on both streams. A `…` stands for anything.
struct ConsoleBlockTests {
  @Test(arguments: Document.all.map(\.path))
  func `a console block of a document prints what it shows`(_ path: String) throws {
    let commands = try Document(path).blocks("console").flatMap(Self.commands)
    guard !commands.isEmpty else { return }
    let outputs = try Self.run(commands.map(\.text))
    #expect(outputs.count == commands.count, "\(path): the session ended early")
    for (command, output) in zip(commands, outputs) {
      #expect(Self.fits(output, command.output), "\(path):\(command.line): $ \(command.text)\nprints\n\(output)")
    }
  }

  @Test func `what a document leaves out with an ellipsis may be anything, the rest may not`() {
    #expect(Self.fits("one two three\n", "one … three\n"))
    #expect(Self.fits("", ""))
    #expect(!Self.fits("one two three\n", "one … four\n"))
    #expect(!Self.fits("one two three\n", "one … four …\n"))
    #expect(!Self.fits("one\n", "one\ntwo\n"))
  }

  /// Whether an output is what a document shows.
  private static func fits(_ output: String, _ shown: String) -> Bool {
    var parts = shown.components(separatedBy: "…")[...]
    guard parts.count > 1 else { return output == shown }
    guard let first = parts.popFirst(), let last = parts.popLast(), output.hasPrefix(first) else { return false }
    var rest = output.dropFirst(first.count)
    for part in parts {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(last)
  }

  private struct Command {
    var text: String
    let line: Int
    var output: String
  }

  private static func commands(of block: Document.Block) -> [Command] {
    var commands: [Command] = []
    var isInHereDocument = false
    for (index, line) in block.lines.enumerated() {
      if isInHereDocument {
        commands[commands.count - 1].text += "\n" + line
        isInHereDocument = line != "END"
      } else if line.hasPrefix("$ ") {
        commands.append(Command(text: String(line.dropFirst(2)), line: block.line + index, output: ""))
        isInHereDocument = line.hasSuffix("<<'END'")
      } else if !commands.isEmpty {
        commands[commands.count - 1].output += line + "\n"
      }
    }
    return commands
  }

  /// What each command prints, run one after the other by one shell.
  private static func run(_ commands: [String]) throws -> [String] {
    let home = ScratchHome()
    // The path of the scratch home differs from run to run; documents call it /home/ada.
    let shown = "/home/ada"
    let mark = "\u{1}"
    let script = commands.map { "status=$?; printf '\(mark)'; (exit $status)\n\($0)\n" }.joined()
    var environment = home.environment
    environment["XDG_CONFIG_HOME"] = home.path + "/.config"
    environment["XDG_STATE_HOME"] = home.path + "/.local/state"
    environment["XDG_DATA_HOME"] = home.path + "/.local/share"
    environment["PATH"] = ChildProcess.commandDirectory + ":" + environment["PATH", default: "/usr/bin:/bin"]
    let result = try ChildProcess.run(
      "/bin/sh", ["-c", "exec 2>&1\ncd\n" + script], environment: environment)
    return result.output.replacingOccurrences(of: home.path, with: shown).split(
      separator: mark, omittingEmptySubsequences: false
    ).dropFirst().map(String.init)
  }
}
