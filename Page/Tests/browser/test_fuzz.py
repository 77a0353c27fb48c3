"""Random commented files, and random edits through the form: bytes outside of the edited value never change, and the
page shows what the file says. SETTINGS_FUZZ is the number of files, SETTINGS_FUZZ_SEED repeats a run."""

import json
import os
import random
import tomllib

from harness import PageTest


def literal(value):
    return str(value).lower() if isinstance(value, bool) else json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


class RandomFile:
    """A file of lines, of which some are settings; each knows the bytes before and after its value."""

    def __init__(self, random):
        self.random = random
        self.lines = []
        self.settings = {}
        self.end = random.choice(["\n", "\n", "\n", "\r\n"])
        self.noise()
        self.table([])
        for number in range(random.randint(0, 3)):
            self.noise()
            name = random.choice([f"t{number}", f'"odd {number}.x"', f"a{number}.b-{number}"])
            space = random.choice(["", " "])
            self.lines.append(f"[{space}{name}{space}]{random.choice(['', '  # a table', ' '])}")
            self.table([name])
        self.noise()
        self.text = self.end.join(self.lines) + random.choice([self.end, ""])

    def noise(self):
        for _ in range(self.random.randint(0, 3)):
            self.lines.append(self.random.choice(["", "# a comment = 1", "   # 'indented' \"quotes\"", "#", "\t", "# ünïcödé 🎈 → x"]))

    def table(self, path):
        for number in range(self.random.randint(1, 4)):
            key = self.random.choice([f"k{number}", f"some-key_{number}", f'"a b {number}"', f"'q.{number}'"])
            value, text = self.value()
            before = self.random.choice(["", "", "  ", "\t"]) + key + self.random.choice([" = ", "=", "   =  ", " =\t"])
            after = self.random.choice(["", "", "   # why = \"x\"", "\t#'", "  "])
            self.settings[".".join(path + [key.replace("'", '"')])] = (len(self.lines), before, value, after)
            self.lines.append(before + text + after)
            if self.random.random() < 0.4:
                self.noise()

    def value(self):
        kind = self.random.choice(["integer", "float", "boolean", "string", "string", "array"])
        if kind == "integer":
            number = self.random.randint(-1000, 100000)
            return number, self.random.choice([str(number), f"{number:_}", hex(number) if number >= 0 else str(number)])
        if kind == "float":
            number = self.random.randint(-1000, 1000) / 8
            return number, self.random.choice([repr(number), f"{number:.5f}"])
        if kind == "boolean":
            flag = self.random.random() < 0.5
            return flag, literal(flag)
        if kind == "array":
            items = [self.random.choice(["one", "two", "# no comment", "ü"]) for _ in range(self.random.randint(1, 3))]
            return items, "[" + self.random.choice(["", " "]) + ", ".join(literal(item) for item in items) + self.random.choice(["", ",", " "]) + "]"
        text = self.random.choice(["", "plain", "with \"quotes\"", "back\\slash", "ünï 🎈", "# not a comment", "a = b", "<b>&amp;"])
        return text, self.random.choice([literal(text), f"'{text}'"])

    def changed(self, key, text):
        """The file's text with another value of a key."""
        line, before, _, after = self.settings[key]
        lines = list(self.lines)
        lines[line] = before + text + after
        tail = self.text[len(self.end.join(self.lines)):]
        return self.end.join(lines) + tail


SHOWN = """
const text = document.querySelector('#file-text').value;
const values = {};
for (const row of document.querySelectorAll('.row')) {
  const items = row.querySelectorAll('.item input');
  const field = row.querySelector('.row-control :is(input, textarea)');
  values[row.dataset.key] = row.querySelector('.list-box') ? [...items].map((input) => input.value)
    : field.type === 'checkbox' ? field.checked : field.type === 'number' ? Number(field.value) : field.value;
}
return [text, values];
"""

EDIT = """
const [key, value] = arguments;
const row = [...document.querySelectorAll('.row')].find((one) => one.dataset.key === key);
const field = row.querySelector('.row-control :is(.item input, input, textarea)');
field.focus();
if (field.type === 'checkbox') { field.click(); return; }
field.value = value;
field.dispatchEvent(new Event('input', { bubbles: true }));
field.dispatchEvent(new Event('change', { bubbles: true }));
"""


class FuzzTest(PageTest):
    text = "first = 1\n"

    def test_random_edits_change_only_their_values(self):
        seed = int(os.environ.get("SETTINGS_FUZZ_SEED") or random.SystemRandom().randrange(1 << 32))
        number = int(os.environ.get("SETTINGS_FUZZ") or 50)
        self.tab.show(1440, 4000)
        for at in range(number):
            with self.subTest(seed=seed, file=at):
                self.round(random.Random(f"{seed} {at}"))
            if at and at % 500 == 0:
                print(f"fuzz: {at} of {number} files, seed {seed}", flush=True)

    def round(self, generator):
        file = RandomFile(generator)
        expected = {key: value for key, (_, _, value, _) in file.settings.items()}
        tomllib.loads(file.text)
        self.home.write(self.home.file, file.text)
        self.shows(file.text, expected)
        for _ in range(2):
            key = generator.choice(sorted(file.settings))
            line, before, old, after = file.settings[key]
            if isinstance(old, bool):
                new = not old
            elif isinstance(old, int):
                new = old + generator.randint(1, 50)
            elif isinstance(old, float):
                new = old + 0.25 * generator.randint(1, 8)
            elif isinstance(old, list):
                new = [generator.choice([word for word in ["three", "vier", "x\"y"] if word != old[0]])] + old[1:]
            else:
                new = old + generator.choice(["!", " \"", "é"])
            self.tab.js(EDIT, key, new[0] if isinstance(new, list) else str(new))
            self.tab.until(lambda: tomllib.loads(self.home.text()) != tomllib.loads(file.text), f"edit of {key} to {new!r} in {file.text!r}")
            stored = self.home.text()
            # Before and after the value all is as it was; and what is between is the new value.
            start = len(file.end.join(file.lines[:line] + [before]).encode())
            tail = file.text.encode()[len(file.end.join(file.lines[:line] + [file.lines[line][:len(file.lines[line]) - len(after)] if after else file.lines[line]]).encode()):]
            data = stored.encode()
            self.assertEqual(data[:start], file.text.encode()[:start])
            self.assertTrue(data.endswith(tail), (file.text, stored))
            middle = data[start:len(data) - len(tail)].decode()
            self.assertEqual(tomllib.loads(f"v = {middle}")["v"], new)
            self.assertIs(type(tomllib.loads(f"v = {middle}")["v"]), type(new))
            file.text = stored
            file.lines[line] = before + middle + after
            file.settings[key] = (line, before, new, after)
            expected[key] = new
            self.shows(stored, expected)

    def shows(self, text, expected):
        plain = text.replace("\r\n", "\n")

        def fits():
            shown, values = self.tab.js(SHOWN)
            return shown == plain and values == expected
        try:
            self.tab.until(fits, "page")
        except AssertionError:
            self.assertEqual(self.tab.js(SHOWN), [plain, expected])
            raise
