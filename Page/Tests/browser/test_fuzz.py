"""Random commented files, and random edits through the form: bytes outside of the edited value never change, and the
page shows what the file says. SETTINGS_FUZZ is the number of files. SETTINGS_FUZZ_SEED repeats a run, and
SETTINGS_FUZZ_FIRST begins it at one of its files."""

import json
import os
import random
import time
import tomllib

from harness import SECONDS, PageTest


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


STEP = """
const [plain, expected, key, value, seconds, done] = arguments;
const area = document.querySelector('#file-text');
function values() {
  const found = {};
  for (const row of document.querySelectorAll('.row')) {
    const items = row.querySelectorAll('.item input');
    const field = row.querySelector('.row-control :is(input, textarea)');
    found[row.dataset.key] = row.querySelector('.list-box') ? [...items].map((input) => input.value)
      : field.type === 'checkbox' ? field.checked : field.matches('[role=spinbutton]') ? Number(field.value) : field.value;
  }
  return found;
}
const names = Object.keys(expected);
const isShown = () => {
  if (area.value !== plain) return false;
  const found = values();
  return Object.keys(found).length === names.length && names.every((name) => JSON.stringify(found[name]) === JSON.stringify(expected[name]));
};
const end = performance.now() + seconds * 1000;
async function until(condition) {
  while (!condition()) {
    if (performance.now() > end) return false;
    await new Promise((next) => setTimeout(next, 5));
  }
  return true;
}
(async () => {
  if (!await until(isShown)) return done(['The page does not show the file.', area.value, values()]);
  const row = [...document.querySelectorAll('.row')].find((one) => one.dataset.key === key);
  const field = row.querySelector('.row-control :is(.item input, input, textarea)');
  field.focus();
  if (field.type === 'checkbox') field.click();
  else {
    field.value = value;
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true }));
  }
  const isStored = await until(() => area.value !== plain && !row.hasAttribute('aria-busy'));
  return done([isStored ? null : `Nothing was stored. ${row.querySelector('.row-message').textContent}`, area.value, values()]);
})();
"""


class FuzzTest(PageTest):
    text = "first = 1\n"

    def test_random_edits_change_only_their_values(self):
        seed = int(os.environ.get("SETTINGS_FUZZ_SEED") or random.SystemRandom().randrange(1 << 32))
        number = int(os.environ.get("SETTINGS_FUZZ") or 20)
        first = int(os.environ.get("SETTINGS_FUZZ_FIRST") or 0)
        # High enough for all rows. What changes would light up for a second, and painting that takes longest.
        self.tab.show(1440, 4000, reduced=True, scale=0.25)
        self.edits = failures = 0
        started = time.monotonic()
        for at in range(first, first + number):
            with self.subTest(seed=seed, file=at):
                failures += 1
                self.round(random.Random(f"{seed} {at}"))
                failures -= 1
            if failures == 20:
                self.fail("20 files failed, so the rest was left out.")
            done = at - first + 1
            if done % 500 == 0:
                print(f"fuzz: {done} of {number} files, {self.edits} edits, {failures} failures, {time.monotonic() - started:.0f} s, seed {seed}", flush=True)

    def round(self, generator):
        file = RandomFile(generator)
        expected = {key: value for key, (_, _, value, _) in file.settings.items()}
        tomllib.loads(file.text)
        self.store(file.text, isWhole=generator.random() < 0.9)
        for _ in range(3):
            key = generator.choice(sorted(file.settings))
            line, before, old, after = file.settings[key]
            new = self.other(old, generator)
            problem, shown, values = self.tab.driver.execute_async_script(
                STEP, plain(file.text), expected, key, new[0] if isinstance(new, list) else str(new), SECONDS)
            expected[key] = new
            stored = self.home.text()
            about = f"{key} = {new!r}\nbefore: {file.text!r}\nafter:  {stored!r}\nshown:  {values}"
            self.assertIsNone(problem, about)
            # Before and after the value all is as it was; and what is between is the new value.
            start = len(file.end.join(file.lines[:line] + [before]).encode())
            rest = file.end.join(file.lines[:line + 1])
            tail = file.text.encode()[len(rest.encode()) - len(after.encode()):]
            data = stored.encode()
            self.assertEqual(data[:start], file.text.encode()[:start], about)
            self.assertTrue(data.endswith(tail), about)
            middle = data[start:len(data) - len(tail)].decode()
            value = tomllib.loads(f"v = {middle}")["v"]
            self.assertEqual((type(value), value), (type(new), new), about)
            self.assertEqual(shown, plain(stored), about)
            self.assertEqual(values, expected, about)
            file.text = stored
            file.lines[line] = before + middle + after
            file.settings[key] = (line, before, new, after)
            self.edits += 1

    def store(self, text, isWhole):
        """Stores the file as most editors do, under another name that then gets its own; or as `cp` does."""
        new = self.home.file.with_name(".new")
        self.home.write(new if isWhole else self.home.file, text)
        if isWhole:
            new.replace(self.home.file)

    def other(self, old, generator):
        """Another value of the same type."""
        if isinstance(old, bool):
            return not old
        if isinstance(old, int):
            return old + generator.randint(1, 50)
        if isinstance(old, float):
            return old + 0.25 * generator.randint(1, 8)
        if isinstance(old, list):
            return [generator.choice([word for word in ["three", "vier", "x\"y"] if word != old[0]])] + old[1:]
        return old + generator.choice(["!", " \"", "é"])


def plain(text):
    """A text as a text area has it."""
    return text.replace("\r\n", "\n")
