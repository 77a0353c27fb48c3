import CrashStates
import Foundation

/// One set by each other system.
enum PeerScenarios {
  static func scenarios(of type: any System.Type) -> [CrashScenario] {
    let file = String(type.init(home: Home.unmade).file.dropFirst(Home.unmade.path.count + 1))
    func next(_ home: Home) -> Bool {
      if type.id == GSettingsDconf.id { return setByDconf(home) }
      let system = type.init(home: home)
      try? (system as? GSettings)?.writeSchema()
      return system.setAfresh("n", 7).isSaid
        && Files.bytes(system.file).flatMap { system.values(in: $0) }?["n"] == 7
    }
    return [
      CrashScenario(
        title: "set, no file yet", file: file,
        prepare: { home in
          try (type.init(home: home) as? GSettings)?.writeSchema()
          // git does not make a directory.
          if type.id == GitConfig.id { Files.makeDirectory(Files.directory(of: home.path + "/" + file)) }
        },
        steps: { [try step(of: type.init(home: $0))] }, next: .other(next)),
      CrashScenario(
        title: "set", file: file,
        prepare: { home in
          let system = type.init(home: home)
          try system.prepare()
          system.close()
        },
        steps: { [try step(of: type.init(home: $0))] }, next: .other(next)),
    ]
  }

  private static func step(of system: any System) throws -> CrashScenario.Step {
    var environment = system.environment
    let gsettings = ["gsettings", "set", "org.example.faults", "n", "5"]
    switch type(of: system).id {
    case GitConfig.id:
      return .init(command: ["git", "config", "--file", system.file, "fault.n", "5"], environment: environment)
    case GSettingsKeyfile.id: return .init(command: gsettings, environment: environment)
    case GSettingsDconf.id:
      environment["DBUS_SESSION_BUS_ADDRESS"] = nil
      // A service writes the file, but the caller relies on the end of 'gsettings'.
      return .init(
        command: ["dbus-run-session", "--", "sh", "-c", gsettings.joined(separator: " ") + " && echo"],
        environment: environment, acknowledgement: .output)
    default:
      let command = [Worker.executable, "worker", type(of: system).id, system.home.path, "set", "n", "5"]
      return .init(command: command, environment: environment)
    }
  }

  private static func setByDconf(_ home: Home) -> Bool {
    let system = GSettingsDconf(home: home)
    guard (try? system.writeSchema()) != nil else { return false }
    var environment = system.environment
    environment["DBUS_SESSION_BUS_ADDRESS"] = nil
    let script = "gsettings set org.example.faults n 7 && gsettings get org.example.faults n"
    let end = Child.run(["dbus-run-session", "--", "sh", "-c", script], environment: environment)
    return end.code == 0 && end.text == "7\n"
  }

  /// The way of many scripts.
  static var sed: CrashScenario {
    CrashScenario(
      title: "set", file: "config/faults.conf",
      prepare: { home in
        Files.makeDirectory(home.path + "/config")
        let lines = Fixture.bystanderKeys.map { "\($0) = \(Fixture.bystanders[$0]!)\n" }
        Files.write("n = 1\n" + lines.joined(), to: home.path + "/config/faults.conf")
      },
      steps: { home in
        [
          .init(
            command: ["sed", "-i", "s/^n = .*/n = 5/", home.path + "/config/faults.conf"], environment: home.environment
          )
        ]
      },
      next: .other { home in
        let file = home.path + "/config/faults.conf"
        let end = Child.run(["sed", "-i", "s/^n = .*/n = 7/", file], environment: home.environment)
        return end.code == 0 && Files.text(file)?.hasPrefix("n = 7\n") == true
      })
  }
}
