import Testing

/// Where the bundle of all tests begins.
///
/// SwiftPM takes a file of this name in the place of one that it makes from an index of all code, for XCTest, which no
/// test uses here. So the code needs no index, which is a tenth of the time of `Scripts/build`.
@main struct AllTests {
  static func main() async {
    // 'swift test' starts the bundle once for each library that it knows.
    guard CommandLine.arguments.contains("swift-testing") else { return }
    await Testing.__swiftPMEntryPoint() as Never
  }
}
