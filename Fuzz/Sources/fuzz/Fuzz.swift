import Fuzzers
import Glibc

/// The fuzzer that the variable `FUZZER` names.
private let fuzzer: Fuzzer = {
  guard let name = getenv("FUZZER"), let fuzzer = Fuzzer(rawValue: String(cString: name)) else {
    fatalError("FUZZER must be one of \(Fuzzer.allCases.map(\.rawValue))")
  }
  return fuzzer
}()

/// Called by libFuzzer, which has the main function, for each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  fuzzer.run(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
