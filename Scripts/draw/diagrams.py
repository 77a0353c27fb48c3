"""The diagrams of the documents."""

from svg import ADVANCE, MARGIN, WIDTH, Page


def layers():
    page = Page(
        "Which value an app reads", "Five layers with values for three keys, the highest first. Of each key the highest "
        "value counts, unless a lower layer has locked it.",
        "The highest layer that has a value decides, unless a lower one has locked the key.")
    keys = ["theme", "editor.font-size", "update.channel"]
    # name, where it is, and for each key: the value, and how it fares.
    stack = [
        ("Arguments, environment", "of this process; never written", [None, ("18", "counts"), None]),
        ("The user's file", "~/.config/APP/settings.toml", [('"dark"', "counts"), ("14", "hidden"), ('"beta"', "refused")]),
        ("Drop-ins", "/etc/xdg/APP/settings.d/*.toml", [None, None, ('"stable"', "locked")]),
        ("The administrators' file", "/etc/xdg/APP/settings.toml", [('"light"', "hidden"), None, None]),
        ("Defaults", "in the app's code", [('"system"', "hidden"), ("12", "hidden"), ('"stable"', "hidden")]),
    ]
    first, column, height = MARGIN + 262, 178, 58
    page.y += 8
    for index, key in enumerate(keys):
        page.mono(first + column * index + 14, page.y, key, "quiet")
    page.y += 14
    for name, where, cells in stack:
        page.rect(MARGIN, page.y, WIDTH - 2 * MARGIN, height - 8, "panel", 6)
        page.text(MARGIN + 16, page.y + 21, name, "text strong")
        page.text(MARGIN + 16, page.y + 38, where, "quiet note")
        for index, cell in enumerate(cells):
            x, middle = first + column * index, page.y + height / 2 - 4
            if cell is None:
                continue
            text, fate = cell
            width = len(text) * ADVANCE + 28
            if fate in ("counts", "locked"):
                page.rect(x, middle - 14, width, 28, "page s-ours thick", 14)
            page.mono(x + 14, middle + 4.5, text, "ours strong" if fate in ("counts", "locked") else "quiet")
            if fate == "refused":
                page.line(x + 10, middle, x + width - 10, middle, "s-bad")
                page.text(x + width - 4, middle + 4, "does not count", "bad note")
            if fate == "locked":
                page.text(x + width + 8, middle + 4, "locked", "ours note strong")
        page.y += height
    page.y += 8
    page.line(MARGIN, page.y - 6, WIDTH - MARGIN, page.y - 6, "s-quiet")
    page.text(MARGIN + 16, page.y + 22, "The app reads", "text strong")
    for index, value in enumerate(['"dark"', "18", '"stable"']):
        page.mono(first + column * index + 14, page.y + 22, value, "text strong")
    page.y += 26
    return page


def change():
    page = Page(
        "The way of a change", "Three columns: a writer locks the directory, edits the text and renames a new file into "
        "place; the kernel reports an event of the directory; the hub in your process reads the file and your for await "
        "goes on.",
        "From a write in one process to the loop in another, without a daemon between them.")
    gap = 42
    width = (WIDTH - 2 * MARGIN - 2 * gap) / 3
    columns = [
        ("Who writes", "your code, settings-cli", [
            ("lock", "the directory, with flock"),
            ("read", "the file again: others' changes stay"),
            ("edit", "the bytes of the value, no other"),
            ("prove", "that only the value differs"),
            ("sync", "the new text, in a new file"),
            ("rename", "it into place; sync the directory"),
        ]),
        ("The kernel", "one directory, one file", [
            ("whole", "readers see the old text or the new"),
            ("inotify", "reports a name in the directory"),
        ]),
        ("Who follows", "every process with a for await", [
            ("hub", "one thread in the process wakes"),
            ("decide", "which stores may have changed"),
            ("read", "the file, once nobody is saving it"),
            ("compare", "with what is known: any news?"),
            ("publish", "a new snapshot to all readers"),
            ("wake", "those who wait for these keys"),
        ]),
    ]
    top = page.y + 4
    step = 46
    height = 62 + step * 6 + 6
    for index, (title, subtitle, steps) in enumerate(columns):
        x = MARGIN + (width + gap) * index
        middle_column = index == 1
        page.rect(x, top, width, height, "panel", 8)
        page.text(x + 18, top + 27, title, "text strong")
        page.text(x + 18, top + 44, subtitle, "quiet note")
        first = top + 78 + (step * 4 if middle_column else 0)
        for number, (word, text) in enumerate(steps):
            y = first + step * number
            page.text(x + 18, y, word, "ours strong")
            page.text(x + 18, y + 16, text, "quiet note")
    # What a file is meanwhile, and how an event gets across.
    x = MARGIN + width + gap
    lines = ['theme = "dark"  # at night', "", "[editor]", "font-size = 14"]
    page.rect(x + 10, top + 62, width - 20, 108, "page s-edge", 6)
    page.text(x + 22, top + 84, "settings.toml", "quiet note")
    for number, text in enumerate(lines):
        body, mark, comment = text.partition("#")
        small = [(body, "text"), (mark + comment, "quiet")]
        page.spans(x + 22, top + 104 + 17 * number, small)
    y = top + 78 + step * 5 + 2
    page.arrow([(MARGIN + width + 6, y), (MARGIN + width + gap - 6, y)])
    right = MARGIN + 2 * width + gap
    page.arrow([(right + 6, y), (right + gap / 2, y), (right + gap / 2, top + 80), (right + gap - 6, top + 80)])
    page.y = top + height + 22
    both = [("$ settings-cli set org.example.editor theme dark", MARGIN, "text"),
            ("for await theme in settings.updates(.theme) { … }", WIDTH - MARGIN - 49 * ADVANCE, "text")]
    for text, x, classes in both:
        page.mono(x, page.y + 8, text, classes)
    page.y += 10
    return page
