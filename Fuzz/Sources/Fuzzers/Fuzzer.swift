/// What is fuzzed.
public enum Fuzzer: String, CaseIterable, Codable, Sendable {
  case parse, edit, proof, reread, values
  case importing = "import"

  /// How many bytes at the start of an input choose what is done with the rest.
  var choiceBytes: Int {
    switch self {
    case .parse: 0
    case .values: 1
    case .importing: 2
    case .edit: 12
    case .proof, .reread: 24
    }
  }

  /// Runs one input. Ends the program if it shows a fault.
  public func run(_ input: [UInt8]) {
    switch self {
    case .parse: fuzzParse(input)
    case .edit: fuzzEdit(input)
    case .proof: fuzzProof(input)
    case .reread: fuzzReread(input)
    case .values: fuzzValues(input)
    case .importing: fuzzImport(input)
    }
  }
}
