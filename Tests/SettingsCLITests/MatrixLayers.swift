/// What is typed for each verb where the person has layers of their own: an active profile, a declared file.
extension MatrixTests {
  static let layerLines: [String: [TargetState: [String]]] = [
    "get": [
      .profile: [
        "get APP theme --json", "get APP theme --layers", "get APP theme --layer user",
        "get APP theme --layer profile:wrk",
        "get APP theme --layer profil:work", "get ./none.toml a --layer user", "get APP theme --system --layer user",
      ],
      .declared: [
        "get APP theme --layers", "get APP theme --layer drop-in:10-dotfiles", "get APP recent --layer host",
      ],
    ],
    "set": [
      .profile: [
        "set APP theme dark", "set APP editor.font-size 20 --layer user", "set APP theme dark --layer user",
        "set APP theme red --layer profile:work", "set APP theme light --layer user --dry-run",
      ],
      .declared: [
        "set APP editor.font-size 20", "set APP theme dark --layer drop-in:10-dotfiles",
        "set APP theme light --layer drop-in:20-new", "set APP recent --append a --layer host",
        "set APP theme dark --layer drop-in:../x",
      ],
    ],
    "unset": [
      .profile: ["unset APP theme", "unset APP theme --layer user", "unset APP --all"],
      .declared: ["unset APP theme --layer drop-in:10-dotfiles", "unset APP recent --layer os"],
    ],
    "rename": [
      .profile: ["rename APP theme host --create", "rename APP editor.font-size theme"],
      .declared: ["rename APP theme host --create --layer drop-in:10-dotfiles"],
    ],
    "find": [.profile: ["find theme"], .declared: ["find font"]],
    "batch": [
      .profile: ["batch APP < {\"set\":\"theme\",\"value\":\"dark\"}\\n{\"get\":\"editor.font-size\"}\\n"],
      .declared: [
        "batch APP --layer arch < {\"append\":\"recent\",\"value\":\"a\"}\\n{\"set\":\"theme\",\"value\":\"light\"}"
      ],
    ],
    "list": [
      .profile: ["list APP --origin", "list APP --changed", "list APP --layer user --changed"],
      .declared: ["list APP --origin", "list APP --layer drop-in:10-dotfiles --origin"],
    ],
    "watch": [
      .profile: ["watch APP theme --count 1"],
      .declared: ["watch APP theme --count 1 --layer drop-in:10-dotfiles"],
    ],
    "edit": [
      .profile: ["EDITOR=sed·-i·s/light/dark/ edit APP", "EDITOR=sed·-i·s/dark/light/ edit APP --layer user"],
      .declared: ["EDITOR=sed·-i·s/light/red/ edit APP --layer drop-in:10-dotfiles"],
    ],
    "diff": [
      .profile: ["diff APP", "diff APP --layer user", "diff APP --declared"],
      .declared: ["diff APP --declared", "diff APP --declared --json", "diff APP --declared --exit-code", "diff APP"],
    ],
    "export": [
      .profile: ["export APP", "export APP --all-layers", "export APP --layer user"],
      .declared: ["export APP", "export APP --all-layers", "export APP --layer host"],
    ],
    "import": [
      .profile: ["import APP - --format env --replace < THEME='dark'\\n"],
      .declared: ["import APP - --format env --layer host < RECENT='[]'\\n"],
    ],
    "migrate": [
      .profile: ["migrate APP --status", "migrate APP --layer user"],
      .declared: ["migrate APP --layer drop-in:10-dotfiles --status"],
    ],
    "recover": [.profile: ["recover APP"], .declared: ["recover APP --layer drop-in:10-dotfiles"]],
    "log": [
      .profile: ["log APP", "log APP --layer user"], .declared: ["log APP --layer drop-in:10-dotfiles"],
    ],
    "blame": [.profile: ["blame APP theme", "blame APP theme --layer user"], .declared: ["blame APP theme"]],
    "redo": [.profile: ["redo APP --layer user"], .declared: ["redo APP theme --layer host"]],
    "undo": [.profile: ["undo APP theme --layer user"], .declared: ["undo APP theme --layer host"]],
    "path": [
      .profile: ["path APP", "path APP --layer user", "path APP --layer profile:work"],
      .declared: ["path APP", "path APP --layer drop-in:10-dotfiles", "path APP --layer host"],
    ],
    "describe": [.profile: ["describe APP theme"], .declared: ["describe APP theme", "describe APP theme --json"]],
    "check": [
      .profile: ["check APP", "check APP --layer user", "check --all --layer user"],
      .declared: ["check APP", "check APP --layer drop-in:10-dotfiles"],
    ],
    "apps": [.profile: ["apps --json"], .declared: ["apps --json"]],
  ]

  /// The verbs for those layers.
  static let layerRows: [Row] = [
    Row(
      verb: "profile",
      lines: [
        .fine: [
          "profile APP", "profile APP new work", "profile APP new work --from-current", "profile APP use --none",
        ],
        .noValue: ["profile APP remove work", "profile APP use work"],
        .usage: [
          "profile", "profile APP us work", "profile APP use", "profile APP use work --none", "profile APP new",
          "profile APP new a/b", "profile APP list x", "profile APP list --force", "profile ./x.toml",
        ],
        .unknown: ["profile org.example.tset", "profile APP new work --inherits home"],
        .invalid: ["profile APP --jsno"], .locked: ["profile APP new work --from-current"],
        .readOnly: ["profile APP new work"], .unparsable: ["profile APP new work --from-current"],
        .newer: ["profile APP new work --from-current"],
        .profile: [
          "profile APP", "profile APP --json", "profile APP new work", "profile APP new next --inherits work",
          "profile APP new next --inherits wrk", "profile APP use wrk", "profile APP remove work",
          "profile APP remove work --force", "APP_SETTINGS_PROFILE=ghost profile APP",
        ],
      ]),
    Row(
      verb: "adopt",
      lines: [
        .fine: ["adopt APP theme --layer drop-in:10-mine", "adopt APP editor --layer host", "adopt APP theme"],
        .noValue: ["adopt APP recent"],
        .usage: [
          "adopt", "adopt APP", "adopt ./old.toml theme", "adopt APP theme --layer user", "adopt APP theme --layer x",
        ],
        .unknown: ["adopt APP thme", "adopt org.example.tset theme"],
        .invalid: ["adopt APP sync.token --layer host"], .locked: ["adopt APP theme --layer host"],
        .readOnly: ["adopt APP theme --layer host"], .unparsable: ["adopt APP theme --layer host"],
        .newer: ["adopt APP theme --layer host"], .profile: ["adopt APP theme --layer host"],
        .declared: [
          "adopt APP theme", "adopt APP editor.font-size", "adopt APP theme --layer drop-in:00-first",
        ],
      ]),
  ]
}
