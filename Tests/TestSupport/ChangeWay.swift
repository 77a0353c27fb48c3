package import AppSettings
import Foundation

/// A way in which a settings file gets another text: a tool, and where the file is.
///
/// The scripts have the file in `$F`, its directory in `$D`, the new text in the file `$N`, the command in `$CLI`, a
/// directory on another file system in `$SHM`, and run in the home directory.
package struct ChangeWay: Sendable, CustomStringConvertible {
  /// Where the file is among the layers.
  package enum Place: String, Sendable, CaseIterable {
    case user, system, dropIn, fleet, declared, condition
    /// The active profile, one that it inherits, and the user's file below them.
    case profile, inherited, below
    case project
  }

  package var description: String
  /// Puts the text of `$N` into the file for the first time; `nil` if `script` can.
  package var begin: String?
  /// Puts the text of `$N` into the file.
  package var script: String
  package var place = Place.user
  /// The program that it takes.
  package var needs: String?
  /// Whether the file is away for a moment which a busy machine may make a long one.
  package var hasGap = false
  /// Whether it takes long, so that many times are too many.
  package var isSlow = false

  init(
    _ name: String, _ script: String, begin: String? = nil, needs: String? = nil, place: Place = .user,
    hasGap: Bool = false, isSlow: Bool = false
  ) {
    description = name
    self.script = script
    self.begin = begin
    self.needs = needs
    self.place = place
    self.hasGap = hasGap
    self.isSlow = isSlow
  }

  /// The path of the file in a home.
  package func file(in home: ScratchHome) -> String {
    let system = home.path + "/etc/xdg/org.example.test/"
    return switch place {
    case .user: home.file
    case .system: system + "settings.toml"
    case .dropIn: system + "settings.d/50.toml"
    case .fleet: home.path + "/fleet/org.example.test/settings.d/50.toml"
    case .declared: home.file("settings.d/50.toml")
    case .condition: home.file("settings.d/@arch=\(MachineFacts.names.machine)/50.toml")
    case .profile: home.file("profiles/work.toml")
    case .inherited: home.file("profiles/base.toml")
    case .below: home.file
    case .project: home.path + "/project/.org.example.test.toml"
    }
  }

  /// A store in which the file is a layer.
  package func store(in home: ScratchHome, keys: [String]) throws -> SettingsStore {
    switch place {
    case .profile, .below: return try home.store(profile: .named("work"))
    case .inherited:
      try home.write("settings-inherits = 'base'\n", to: home.file("profiles/work.toml"))
      return try home.store(profile: .named("work"))
    case .project:
      let names = keys.map { [TOMLPath([$0])] }
      return try home.store(project: SettingsProject(from: home.path + "/project/deep/inside", keys: names))
    default: return try home.store()
    }
  }
}

extension ChangeWay {
  private static let plain = "mkdir -p $D; cat $N > $F"
  private static let git = """
    export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    test -d g || git init -q --bare g; mkdir -p w; cp $N w/settings.toml
    git --git-dir=g --work-tree=w add settings.toml; git --git-dir=g --work-tree=w commit -q --allow-empty -m x
    git --git-dir=g --work-tree=$D checkout -q -f HEAD -- settings.toml
    """
  private static let mmap = """
    python3 -c 'import mmap, os; n = open(os.environ["N"], "rb").read(); f = open(os.environ["F"], "r+b")
    f.truncate(len(n)); m = mmap.mmap(f.fileno(), 0); m[:] = n; m.flush(); m.close(); f.close()'
    """
  private static let exchange = """
    cp $N new
    python3 -c 'import ctypes, os, platform; number = 316 if platform.machine() == "x86_64" else 276
    exit(ctypes.CDLL(None).syscall(number, -100, b"new", -100, os.fsencode(os.environ["F"]), 2))'
    """
  private static let configMap = """
    V=$(mktemp -d $D/..XXXXXX); cp $N $V/settings.toml; OLD=$(readlink $D/..data || true)
    ln -s ${V##*/} $D/..tmp; mv -T $D/..tmp $D/..data; test -z "$OLD" || rm -r $D/$OLD
    """
  /// nano is for a terminal: its keys are given to one. Cut to the end, insert a file, write, leave.
  private static let nano = """
    cat > keys.py <<'END'
    import os, pty
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm"
        os.execvp("nano", ["nano", "-I", "-L", os.environ["F"]])
    os.read(terminal, 1)
    os.write(terminal, b"\\x1bt\\x12" + os.fsencode(os.environ["N"]) + b"\\r\\x0f\\r\\x18")
    try:
        while os.read(terminal, 65536): pass
    except OSError: pass
    exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    END
    timeout 60 python3 keys.py
    """

  private static func vim(_ name: String, _ options: String) -> ChangeWay {
    ChangeWay(
      name, "vim -es -u NONE -c 'set \(options)' -c %d -c 'r $N' -c wq $F", begin: plain, needs: "vim",
      hasGap: true, isSlow: true)
  }

  private static func emacs(_ name: String, _ options: String) -> ChangeWay {
    let function = "(progn (erase-buffer) (insert-file-contents (getenv \"N\")) (save-buffer))"
    return ChangeWay(
      name, "emacs --batch -Q $F --eval '(setq \(options))' --eval '\(function)' 2>&1", begin: plain, needs: "emacs",
      hasGap: true, isSlow: true)
  }

  /// Every way, by a tool in a process of its own.
  package static let all: [ChangeWay] =
    [
      ChangeWay("echo >", "cat $N > $F", begin: plain),
      ChangeWay("sed -i", "sed -i -e \"1r $N\" -e d $F", begin: plain),
      ChangeWay("sed -i.bak", "sed -i.bak -e \"1r $N\" -e d $F", begin: plain, hasGap: true),
      ChangeWay("cp", "cp $N $F", begin: plain),
      ChangeWay("cp --remove-destination", "cp --remove-destination $N $F", begin: plain, hasGap: true),
      ChangeWay("mv over", "cp $N new; mv new $F", begin: plain),
      ChangeWay("mv across file systems", "cp $N $SHM/new; mv $SHM/new $F", begin: plain, hasGap: true),
      ChangeWay("install", "install -m 600 $N $F", begin: plain, hasGap: true),
      ChangeWay("git checkout", git, begin: plain, needs: "git", hasGap: true, isSlow: true),
      ChangeWay("rm and create", "rm $F; cat $N > $F", begin: plain, hasGap: true),
      ChangeWay(
        "truncate and write in pieces",
        "exec 3> $F; head -c 9 $N >&3; sleep 0.05; tail -c +10 $N | head -c 9 >&3; tail -c +19 $N >&3; exec 3>&-",
        begin: plain, isSlow: true),
      ChangeWay("mmap", mmap, begin: plain, needs: "python3", isSlow: true),
      ChangeWay("RENAME_EXCHANGE", exchange, begin: plain, needs: "python3", isSlow: true),
      vim("vim", "backup"), vim("vim, backup by rename", "backup bkc=no"), vim("vim, backup by copy", "backup bkc=yes"),
      emacs("emacs", "backup-by-copying nil"), emacs("emacs, backup by copy", "backup-by-copying t"),
      emacs("emacs, by rename", "file-precious-flag t"),
      ChangeWay("nano", nano, begin: plain, needs: "nano", isSlow: true),
      ChangeWay(
        "a link's target edited", "cat $N > target", begin: "mkdir -p $D; cat $N > target; ln -s $PWD/target $F"),
      ChangeWay(
        "a link's target replaced", "cp $N new; mv new target", begin: "mkdir -p $D; cp $N target; ln -s $PWD/target $F"
      ),
      ChangeWay(
        "a link retargeted", "V=$(mktemp $PWD/vXXXXXX); cp $N $V; ln -s $V tmp; mv -T tmp $F",
        begin: "mkdir -p $D; cp $N v; ln -s $PWD/v $F"),
      ChangeWay(
        "a link retargeted by ln -sfn", "V=$(mktemp $PWD/vXXXXXX); cp $N $V; ln -sfn $V $F",
        begin: "mkdir -p $D; cp $N v; ln -s $PWD/v $F"),
      ChangeWay(
        "a ConfigMap's ..data", configMap, begin: "mkdir -p $D\n" + configMap + "\nln -s ..data/settings.toml $F"),
      ChangeWay("a directory removed and made again", "rm -r $D; mkdir $D; cp $N $F", begin: plain, hasGap: true),
      ChangeWay(
        "a directory moved away and back", "mv $D old; cp $N old/settings.toml; mv old $D", begin: plain, hasGap: true),
      ChangeWay(
        "parents removed and made later", "rm -r config; mkdir config; mkdir $D; cp $N $F", begin: plain, hasGap: true),
      ChangeWay("an administrator's file, replaced", "cp $N new; mv new $F", begin: plain, place: .system),
      ChangeWay("an administrator's file, in place", "cat $N > $F", begin: plain, place: .system, hasGap: true),
      ChangeWay("a drop-in, replaced", "cp $N new; mv new $F", begin: plain, place: .dropIn),
      ChangeWay(
        "a drop-in removed and added", "rm $F; cp $N new; mv new $F", begin: plain, place: .dropIn, hasGap: true),
    ] + personal

  /// The ways that differ for a reader, for each of the other layers.
  private static let personal = [Place.fleet, .declared, .condition, .profile, .inherited, .below, .project].flatMap {
    place in
    [
      ChangeWay("\(place.rawValue): replaced", "cp $N new; mv new $F", begin: plain, place: place),
      ChangeWay("\(place.rawValue): in place", "cat $N > $F", begin: plain, place: place, hasGap: true),
      ChangeWay(
        "\(place.rawValue): removed and added", "rm $F; cp $N new; mv new $F", begin: plain, place: place, hasGap: true),
      ChangeWay(
        "\(place.rawValue): its directory is a link that is replaced",
        "V=$(mktemp -d $PWD/vXXXXXX); cp -a $D/. $V; cp $N $V/${F##*/}; ln -s $V tmp; mv -T tmp $D",
        begin: "mkdir -p $D v; rmdir $D; cp $N v/${F##*/}; ln -s $PWD/v $D", place: place),
    ]
  }

  /// The variables of the scripts.
  package func variables(in home: ScratchHome, text: String, shared: String) -> [String: String] {
    let file = file(in: home)
    return home.environment.merging(
      [
        "F": file, "D": (file as NSString).deletingLastPathComponent, "N": text, "SHM": shared,
        "CLI": ChildProcess.product("settings-cli"),
      ]) { $1 }
  }
}
