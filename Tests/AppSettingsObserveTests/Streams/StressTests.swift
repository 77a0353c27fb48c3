import Testing
import TestSupport

/// The short forms of what `Scripts/observation` does at length.
@Suite(.timeLimit(.minutes(10))) struct StressTests {
  @Test(arguments: [
    ["observers", "200", "2000"], ["comings-and-goings", "2000"], ["final", "300"], ["overflow", "6000"],
    ["recreate", "2000"],
  ])
  func `observation stands a load`(_ arguments: [String]) throws {
    let stress = ChildProcess.product("settings-stress")
    let result = try ChildProcess.run(stress, arguments, environment: ScratchHome().environment)
    #expect(result.status == 0 && !result.wasKilled, "\(result)")
  }
}
