import ArgumentParser

/// Whether a verb may edit what no trusted key has signed.
struct UnsignedOption: ParsableArguments {
  @Flag(help: "Edit a document although no trusted key has signed it. 'log' shows that.") var acceptUnsigned = false
}
