import ArgumentParser

/// Whether a verb may make a document although its app's, group's or machine's name is like a known one.
struct CreateOption: ParsableArguments {
  @Flag(help: "Make the document of an app, group or machine that is not known, although its name is like a known one.")
  var create = false
}
