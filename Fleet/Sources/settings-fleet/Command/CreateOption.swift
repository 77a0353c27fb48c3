import ArgumentParser

/// Whether a verb may make the document of a group or machine whose name is like a known one.
struct CreateOption: ParsableArguments {
  @Flag(help: "Make the document of a group or machine that is not known, although its name is like a known one.")
  var create = false
}
