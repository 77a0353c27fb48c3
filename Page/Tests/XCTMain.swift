import Testing

/// Where the bundle of all tests begins, in what `Scripts/build` makes.
///
/// SwiftPM takes a file of this name in the place of one that it makes from an index of all code, for XCTest, which no
/// test uses here. So the code needs no index, which is a tenth of the time. 'swift test' runs no test of Swift Testing
/// where it finds this file, so it is beside tests that are targets only when `SETTINGS_TARGETS` is `all`.
@main struct AllTests {
  static func main() async {
    guard CommandLine.arguments.contains("swift-testing") else { return }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
