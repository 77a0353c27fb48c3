import ArgumentParser

@main
struct SettingsCLI: ParsableCommand {}
