"""The plot of what each system lost, from the tables of Faults/README.md, which are those that Scripts/faults prints."""

from measurements import fail
from svg import MARGIN, WIDTH, Page

LOSSES = "Faults/README.md"

# What each system lost: the heading of a table in Faults/README.md, the name of the row, the columns that count what
# was lost, that of which they are a part, and what it is.
EXPERIMENTS = [
    ("Writers at once, each with its own keys", "8 writers, a key each", ["lost"], "said to be stored", "stored sets"),
    ("Counting together", "8 writers count together", ["lost"], "said to be stored", "stored sets"),
    ("A writer killed while it writes", "A writer is killed", ["lost", "damaged"], "kills", "kills"),
    ("Writers killed among others that write", "One of 4 writers is killed", ["lost", "damaged"], "sets", "sets"),
    ("Crash states of other systems", "The power fails in a set", ["lost", "torn"], "states", "states of the disk"),
    ("A full file system", "The disk is full", ["said to be stored, is not", "damaged"], "sets", "sets"),
    ("A read-only mount", "The disk is read-only", ["said to be stored, is not", "damaged"], "sets", "sets"),
    ("A file cut short", "The file was cut short", ["overwritten"], "files", "files"),
    ("A broken line", "A line is broken", ["overwritten"], "files", "files"),
    ("A raw reader beside a writer", "Read while it is written", ["torn"], "reads", "reads"),
    ("Saves in place beside sets", "An editor saves meanwhile", ["saves lost"], "saves", "saves"),
    ("Directories replaced during writes", "The directory is replaced", ["lost", "damaged"], "sets", "sets"),
]
# The crash states of the scenarios that the other systems have, too: a set, with and without a file.
OWN_SCENARIOS = ["set, no directory yet", "set, no file yet", "set"]
SYSTEMS = ["AppSettings", "git config", "gsettings (keyfile)", "gsettings (dconf)", "UserDefaults"]


def table_below(lines, heading):
    """The rows of the first table below a heading, as dictionaries."""
    try:
        at = lines.index(f"### {heading}") + 1
    except ValueError:
        fail(f"{LOSSES} has no heading '{heading}'")
    rows = []
    for line in lines[at:]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip().strip("|").split("|")])
        elif rows or line.startswith("#"):
            break
    if len(rows) < 3:
        fail(f"{LOSSES} has no table below '{heading}'")
    return [dict(zip(rows[0], row)) for row in rows[2:]]


def count(text):
    return {"no": 0, "yes": 0, "-": 0}.get(text) if text in ("no", "yes", "-") else int(text.replace(",", ""))


def losses():
    lines = open(LOSSES, encoding="utf-8").read().split("\n")
    page = Page(
        "What each system lost", "Per experiment and system, how much of what was tried was lost, torn, damaged or "
        "overwritten without an error. The tables of the document have the figures.",
        "Lost, torn, damaged or overwritten without an error, of what was tried. The tables below say how.")
    first, column, height = MARGIN + 184, 124, 40
    page.y += 6
    for index, name in enumerate(SYSTEMS):
        page.text(first + column * index, page.y, name, "text note strong" if index == 0 else "quiet note")
    page.y += 12
    for heading, title, bad, of, unit in EXPERIMENTS:
        rows = table_below(lines, heading)
        if heading.startswith("Crash states"):
            # The scenarios that the others have, too.
            own = [
                dict(row, system="AppSettings") for row in table_below(lines, "Crash states of this package")
                if row["scenario"] in OWN_SCENARIOS]
            rows = own + [dict(row, system=row["system"].split(":")[0]) for row in rows]
        page.line(MARGIN, page.y, WIDTH - MARGIN, page.y)
        page.text(MARGIN, page.y + 18, title, "text")
        page.text(MARGIN, page.y + 33, f"of {unit}", "quiet note")
        for index, system in enumerate(SYSTEMS):
            mine = [row for row in rows if row["system"] == system]
            x = first + column * index
            if not mine:
                page.text(x, page.y + 25, "not tried", "quiet note")
                continue
            lost = sum(count(row[name]) for row in mine for name in bad)
            tried = sum(count(row[of]) for row in mine)
            page.rect(x, page.y + 11, column - 24, 5, "grid", 2.5)
            if lost:
                page.rect(x, page.y + 11, max((column - 24) * lost / tried, 3), 5, "bad", 2.5)
            page.text(
                x, page.y + 32, f"{lost:,} / {tried:,}", "bad note strong" if lost else
                ("good note strong" if index == 0 else "quiet note"))
        page.y += height
    page.y -= 6
    return page
