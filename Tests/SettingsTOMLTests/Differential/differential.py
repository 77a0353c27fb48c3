"""Reads cases as JSON on standard input, and says on standard output what Python's TOML readers make of them.

A case is {"text": TOML, "path": [keys]} with, for an edit, "edited": TOML and, unless it removes, "value": TOML value. For each, one line:
the canonical form of the text as tomllib reads it, or "invalid"; a tab; and of the edit, "same" or what differs.
"""

import datetime
import json
import struct
import sys
import tomllib

try:
    import tomlkit
except ImportError:
    tomlkit = None


def canonical(value):
    if isinstance(value, dict):
        items = sorted((key.encode(), item) for key, item in value.items())
        return "{" + ",".join(key.hex() + "=" + canonical(item) for key, item in items) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return "i" + str(value)
    if isinstance(value, float):
        return "fnan" if value != value else "f" + struct.pack(">d", value).hex()
    if isinstance(value, str):
        return "s" + value.encode().hex()
    if isinstance(value, datetime.datetime):
        offset = "" if value.tzinfo is None else "o%d" % (value.utcoffset().total_seconds() // 60)
        return date(value) + time(value) + offset
    if isinstance(value, datetime.date):
        return date(value)
    return time(value)


def date(value):
    return "d%d.%d.%d" % (value.year, value.month, value.day)


def time(value):
    return "t%d.%d.%d.%d" % (value.hour, value.minute, value.second, value.microsecond)


def apply(root, path, value):
    for key in path[:-1]:
        root = root.setdefault(key, {})
    if value is None:
        del root[path[-1]]
    else:
        root[path[-1]] = value


def without_empty(value):
    """A table without those in it that hold nothing: removing the last key may remove a table."""
    if not isinstance(value, dict):
        return value
    items = {key: without_empty(item) for key, item in value.items()}
    return {key: item for key, item in items.items() if item != {}}


def edit_result(case, text):
    if case.get("edited") is None:
        return "same"
    value = None if case.get("value") is None else tomllib.loads("v = " + case["value"])["v"]
    expected = tomllib.loads(text)
    apply(expected, case["path"], value)
    edited = case["edited"].removeprefix("\ufeff")
    found = tomllib.loads(edited)
    if value is None:
        expected, found = without_empty(expected), without_empty(found)
    if canonical(expected) != canonical(found):
        return "tomllib reads the edited text otherwise"
    if tomlkit is None:
        return "same"
    try:
        document = tomlkit.parse(text)
        apply(document, case["path"], value)
        theirs = tomllib.loads(tomlkit.dumps(document))
    except Exception:
        return "tomlkit cannot"
    theirs = without_empty(theirs) if value is None else theirs
    return "same" if canonical(theirs) == canonical(found) else "tomlkit differs"


for case in json.load(sys.stdin):
    text = case["text"].removeprefix("\ufeff")
    try:
        form = canonical(tomllib.loads(text))
        edit = edit_result(case, text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        form, edit = "invalid", str(error).replace("\n", " ").replace("\t", " ")
    print(form, edit, sep="\t")
