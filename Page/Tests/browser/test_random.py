"""Random pointer and key events on random schemas and files: the page shows what the file has, the file has what the page
last said, and no byte else has changed.

SETTINGS_HANDS is the number of minutes, and a fraction of one by default. SETTINGS_HANDS_SEED repeats a run, and
SETTINGS_HANDS_FIRST begins it at one of its schemas."""

import json
import os
import random
import time
import tomllib

from harness import APP, ActionChains, JavascriptException, Keys
from test_hands import HandsTest

TYPES = {
    "text": ('type = "string"', ["", "Ada", "a b", 'with "quotes"', "ü🎈", "# no comment", "x = 1"]),
    "word": ('type = "string"\npattern = "[a-z]*"', ["", "abc", "ABC", "a1"]),
    "integer": ('type = "integer"', ["0", "7", "-12", "99999999999", "x", "1.5"]),
    "slider": ('type = "integer"\nminimum = 6\nmaximum = 72\ndefault = 12', ["6", "30", "72", "73", ""]),
    "float": ('type = "float"\nminimum = 0.0', ["0", "2.5", "-1", "1e3", "."]),
    "flag": ('type = "boolean"\ndefault = false', []),
    "few": ('type = "string"\nchoices = ["one", "two", "three"]', []),
    "many": ('type = "string"\nchoices = ["a", "b", "c", "d", "e", "f"]\ndefault = "b"', []),
    "day": ('type = "local-date"', ["01152026", "0203", "12312030"]),
    "wait": ('type = "duration"', ["5", "0", "-1", "x"]),
    "colour": ('type = "string"\ndefault = "#102030"\npattern = "#[0-9a-f]{6}"', ["#aabbcc", "#12", "red"]),
    "list": ('type = "array"\nelements = { type = "string" }', ["one", "two words", "", "#"]),
    "numbers": ('type = "array"\nelements = { type = "integer", maximum = 9 }', ["1", "9", "10", "x"]),
    "table": ('type = "table"\nelements = { type = "string" }', ["v", "w"]),
    "records": ('type = "records"\nfields = { size = { type = "integer", maximum = 99 }, on = { type = "boolean", default = true } }', ["5", "50", "500"]),
    "any": ('type = "any"', ["1", '"x"', "[1, {}]", "= ="]),
}

SAMPLES = {
    "text": ['"Grace"', "'raw'", '""'], "word": ['"abc"'], "integer": ["0x0E", "1_000", "-3"], "slider": ["14"], "float": ["2.50", "1e1"],
    "flag": ["true", "false"], "few": ['"one"'], "many": ['"a"', '"f"'], "day": ["2026-01-15"], "wait": ['"30s"', '"5m"'], "colour": ['"#112233"'],
    "list": ['[ "a", "b" ]', "[]", '["a", "b", "c",]'], "numbers": ["[1, 2]"], "table": ['{ k = "v" }'], "records": ["{ r = { size = 7 } }"], "any": ["[1, { a = 2 }]"],
}

# What the page shows of each setting that nobody types into; nothing for a control that has no text of its own.
SHOWN = """
const found = {};
for (const row of document.querySelectorAll('.row')) {
  const box = row.querySelector('.row-control');
  if (row.querySelector('[data-draft]') || row.hasAttribute('aria-busy') || row.querySelector('.row-message.error, .row-message.warning')) continue;
  const items = [...box.querySelectorAll('.item input')].map((one) => one.value);
  const field = box.querySelector('input:not([type=range], [type=color]), select, textarea');
  found[row.dataset.key] = box.querySelector('.list-box') ? items
    : box.querySelector('.records, .members') ? null
    : box.querySelector('[role=radiogroup]') ? JSON.parse(box.querySelector('input:checked')?.value ?? 'null')
    : box.querySelector('.with-unit > select') ? (field.value === '' ? null : field.value + box.querySelector('select').value)
    : field.type === 'checkbox' ? field.checked
    : field.tagName === 'SELECT' ? (field.selectedOptions[0]?.disabled ? null : field.selectedOptions[0]?.textContent ?? null)
    : field.matches('[role=spinbutton]') ? (field.value === '' ? null : Number(field.value))
    : field.matches('.mono') ? null : field.value;
}
return [found, document.querySelector('#file-text').value, document.documentElement.hasAttribute('data-busy'), document.querySelectorAll('dialog').length];
"""


class RandomHandsTest(HandsTest):
    schema = 'app = "org.example.editor"\nschema-version = 1\n[keys.first]\ntype = "integer"\n'
    text = "first = 1\n"

    def test_random_hands_break_nothing(self):
        seed = int(os.environ.get("SETTINGS_HANDS_SEED") or random.SystemRandom().randrange(1 << 32))
        end = time.monotonic() + 60 * float(os.environ.get("SETTINGS_HANDS") or 0.25)
        at = int(os.environ.get("SETTINGS_HANDS_FIRST") or 0)
        self.actions = 0
        self.tab.show(1280, 900, reduced=True)
        while time.monotonic() < end:
            with self.subTest(seed=seed, schema=at):
                try:
                    self.round(random.Random(f"{seed} {at}"), end)
                except Exception:
                    # What is wrong in this tab is left with it.
                    broken, self.tab = self.tab, self.open()
                    self.tab.show(1280, 900, reduced=True)
                    broken.close()
                    raise
            if len(self._outcome.result.failures) + len(self._outcome.result.errors) >= 5:
                self.fail("5 schemas failed, so the rest was left out.")
            at += 1
            if at % 10 == 0:
                print(f"hands: {at} schemas, {self.actions} actions, seed {seed}", flush=True)
        print(f"hands: {at} schemas, {self.actions} actions, seed {seed}, done", flush=True)

    # MARK: One schema

    def round(self, generator, end):
        self.random = generator
        self.log = []
        self.known = (None, {})
        names = generator.sample(sorted(TYPES), generator.randint(4, 7))
        groups = generator.choice(["", "", "g."])
        self.keys = {(groups if generator.random() < 0.5 else "") + name: name for name in names}
        schema = 'app = "org.example.editor"\nschema-version = 1\n' + "".join(
            f'[keys."{key}"]\n{TYPES[kind][0]}\n' for key, kind in self.keys.items())
        lines = {True: [], False: []}
        for key, kind in self.keys.items():
            if generator.random() < 0.6:
                lines["." in key] += generator.choice([[], ["# about it"], [""]])
                lines["." in key].append(f"{key.split('.')[-1]}{generator.choice([' = ', '=', '   = '])}{generator.choice(SAMPLES[kind])}{generator.choice(['', '  # why'])}")
        text = "# Mine.\n" + "".join(line + "\n" for line in lines[False]) + ("\n[g] # a table\n" + "".join(line + "\n" for line in lines[True]) if lines[True] else "")
        tomllib.loads(text)
        self.home.write(self.home.file, text)
        self.home.write(self.home.schema, schema)
        self.tab.until(lambda: self.tab.js("return [...document.querySelectorAll('.row')].map((row) => row.dataset.key).sort().join() === arguments[0]", ",".join(sorted(self.keys)))
                       or self.tab.js("document.querySelector('#search').value = ''; document.querySelector('#search').dispatchEvent(new Event('input'))"), "settings of the schema")
        self.before = self.check(text, set())
        for _ in range(25):
            if time.monotonic() > end:
                break
            touched = self.act()
            self.actions += 1
            self.before = self.check(self.before, touched)
        # Nothing that is typed is left for the next schema.
        self.tab.js("for (const field of document.querySelectorAll('.adder input')) { field.value = ''; field.dispatchEvent(new Event('input')); }")
        self.tab.reload()

    def act(self):
        """Does something with the pointer or the keys. Returns the settings that may have another value after it, None for all."""
        choose = self.random.choice
        key = choose(sorted(self.keys))
        kind = self.keys[key]
        kinds = ["field", "field", "field", "field", "undo", "redo", "row", "bar", "outside", "details", "search", "nothing"]
        what = choose(kinds)
        self.log.append((what, key))
        if what == "field":
            return self.field_of(key, kind)
        if what in ["undo", "redo"]:
            self.tab.row(key).js("element.focus()")
            self.tab.keys("u" if what == "undo" else "U")
            return None
        if what == "row":
            self.tab.row(key).js("element.focus()")
            self.tab.keys(choose(["j", "k", "r", "e", "l"]))
            return {key}
        if what == "bar":
            self.tab.click(choose(["#undo", "#redo"]))
            return None
        if what == "outside":
            words = ["unset", APP, key] if self.random.random() < 0.4 else ["set", APP, key, "--type", "toml", self.random.choice(SAMPLES[kind])]
            self.home.cli(*words, fails=True)
            return {key}
        if what == "details":
            self.tab.press(key, ".more")
            return set()
        if what == "search":
            self.tab.click("#search")
            self.tab.type(choose(["a", "zzz", "@modified", key[:3]]), pause=0)
            self.tab.keys(Keys.ESCAPE)
            return set()
        self.leave()
        return set()

    def field_of(self, key, kind):
        """Acts on the control of a setting, as it comes."""
        choose = self.random.choice
        selectors = self.tab.row(key).js("""return [...element.querySelectorAll('.row-control :is(input, select, textarea, button)')].map((one, at) => {
            one.dataset.at = at;
            return one.checkVisibility() && !one.disabled && one.type !== 'color' ? [at, one.tagName, one.type] : null;
          }).filter(Boolean)""")
        if not selectors:
            return set()
        at, tag, form = choose(selectors)
        element = self.tab.row(key, f".row-control [data-at='{at}']")
        try:
            self.tab.point(element, x=0.5 if tag in ["BUTTON", "SELECT"] or form in ["checkbox", "radio"] else self.random.random())
        except AssertionError:
            # The page has drawn it again, and it is another one.
            return {key}
        self.log[-1] = (*self.log[-1], tag, form)
        if tag == "BUTTON":
            if self.tab.count(".menu"):
                self.tab.keys(choose([Keys.ENTER, Keys.ESCAPE]))
            return {key}
        if tag == "SELECT":
            self.tab.keys(Keys.ESCAPE, *[Keys.ARROW_DOWN] * self.random.randint(0, 2))
        elif form == "range":
            self.tab.keys(*[choose([Keys.ARROW_LEFT, Keys.ARROW_RIGHT]) for _ in range(self.random.randint(0, 4))])
        elif form not in ["checkbox", "radio"]:
            if form != "date" and self.random.random() < 0.7:
                self.tab.select_all()
            typed = choose(TYPES[kind][1])
            self.log[-1] += (typed,)
            if typed == "":
                self.tab.keys(Keys.BACKSPACE)
            self.tab.type(typed, pause=0)
        end = choose(["enter", "enter", "escape", "tab", "leave", "stay", "store"])
        self.log[-1] += (end,)
        if end == "enter":
            self.tab.keys(Keys.ENTER)
        elif end == "escape":
            self.tab.keys(Keys.ESCAPE)
        elif end == "tab":
            self.tab.keys(Keys.TAB)
        elif end == "leave":
            self.leave()
        elif end == "store":
            ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
        # What was typed before elsewhere may be stored by leaving it.
        return {key} | self.drafts

    # MARK: The invariant

    drafts = frozenset()
    known = (None, {})

    def check(self, before, touched):
        """The page is at rest, and shows what the file has; and the file differs from before in what was touched alone."""
        about = f"seed and schema above; actions: {self.log}"
        # What waits for a pause is stored after it.
        self.tab.js("window.waited = false; setTimeout(() => { window.waited = true; }, 450)")
        self.tab.until(lambda: self.tab.js("return window.waited"), "pause")
        found = {}

        def agrees():
            try:
                shown, text, is_busy, dialogs = self.tab.js(SHOWN)
            except JavascriptException:
                return False
            self.assertEqual(dialogs, 0, about)
            stored = self.home.text() if self.home.file.exists() else ""
            if self.known[0] != stored:
                self.known = (stored, {one["key"]: one for one in json.loads(self.home.cli("describe", APP, "--document"))["keys"]})
            values = self.known[1]
            found.clear()
            found.update({key: (value, values[key]["value"]) for key, value in shown.items() if key in values and not self.same(key, value, values[key])})
            return not is_busy and text == stored and not found

        try:
            self.tab.until(agrees, "page that shows the file")
        except AssertionError as error:
            raise AssertionError(f"{error}\nshown and stored: {found}\nfile: {self.home.text()!r}\n{about}") from None
        after = self.home.text() if self.home.file.exists() else ""
        old, new = flat(tomllib.loads(before)), flat(tomllib.loads(after))
        changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
        if touched is not None:
            allowed = touched | self.drafts
            self.assertFalse([key for key in changed if not any(key == name or key.startswith(f"{name}.") for name in allowed)], f"{before!r}\n{after!r}\n{about}")
            # The lines of others stay as they are. Those within a table do not name it.
            isFlat = not any(self.keys.get(name) in ["table", "records", "any"] for name in allowed)
            names = [name.split(".")[-1] for name in allowed]
            kept = [line for line in before.splitlines() if line.strip() and not line.startswith("#") and not any(name in line for name in names) and "[" not in line[:1]]
            self.assertFalse([line for line in kept if isFlat and line not in after.splitlines()], f"{before!r}\n{after!r}\n{about}")
        self.assertFalse([line for line in self.tab.log() if "Uncaught" in line or "Content Security Policy" in line], about)
        self.drafts = frozenset(self.tab.js("return [...document.querySelectorAll('.row')].filter((row) => row.querySelector('[data-draft]')).map((row) => row.dataset.key)"))
        return after

    def same(self, key, shown, described):
        """Whether a control shows a value. What it shows of a table, and of a text in TOML, is seen in the file's text."""
        value = described["value"]
        kind = self.keys.get(key)
        if shown is None:
            # A table of another schema, which an undo has brought back, may be there, too.
            return kind is None or kind in ["table", "records", "any", "list", "numbers"] or value is None or described["problem"] is not None
        if isinstance(shown, list):
            return [str(one) for one in value or []] == shown
        if kind == "flag":
            return (value or False) == shown
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return isinstance(shown, (int, float)) and abs(value - shown) <= abs(value) * 1e-12
        if value is None:
            return shown in ["", "#000000"] or kind in ["any", "few", "many"]
        return kind == "any" or str(value) == str(shown)


def flat(table, path=""):
    """The leaves of a document by their dotted names."""
    leaves = {}
    for name, value in table.items():
        if isinstance(value, dict):
            leaves.update(flat(value, f"{path}{name}."))
        else:
            leaves[path + name] = value
    return leaves
