"""Each control × what a person does with it: typed, pasted, given up, refused, changed meanwhile by another, undone."""

import tomllib
from dataclasses import dataclass

from harness import APP, ActionChains, Keys
from test_hands import HandsTest

SCHEMA = '''
app = "org.example.editor"
schema-version = 1
[keys.text]
type = "string"
pattern = "[A-Za-z]*"
[keys.lines]
type = "string"
[keys.integer]
type = "integer"
maximum = 1000
[keys.slider]
type = "integer"
minimum = 6
maximum = 72
[keys.float]
type = "float"
maximum = 10.0
[keys.colour]
type = "string"
pattern = "#[0-9a-f]{6}"
[keys.duration]
type = "duration"
maximum = "1h"
[keys.day]
type = "local-date"
minimum = 2020-01-01
[keys.moment]
type = "local-date-time"
minimum = 2020-01-01T00:00:00
[keys.instant]
type = "offset-date-time"
minimum = 2020-01-01T00:00:00Z
[keys.any]
type = "any"
[keys.few]
type = "string"
choices = ["one", "two", "three"]
[keys.many]
type = "string"
choices = ["one", "two", "three", "four", "five", "six"]
[keys.flag]
type = "boolean"
[keys.list]
type = "array"
elements = { type = "integer", maximum = 99 }
[keys.table]
type = "table"
elements = { type = "string", pattern = "[a-z]*" }
[keys.records]
type = "records"
fields = { size = { type = "integer", maximum = 99 } }
[keys.secret]
type = "string"
secret = true
minimum-count = 3
'''

TEXT = '''# Mine.
text = "Ada"   # her name
lines = "a\\nb"
integer = 0x0E # hexadecimal
slider = 14
float = 2.50
colour = "#112233"
duration = "30s"
day = 2026-01-15
moment = 2026-01-15T08:30:00
instant = 2026-01-15T08:30:00Z
any = [ 1, { a = 2 } ]
few = "one"
many = "one"
flag = true
list = [ 1, 2 ] # two
secret = "s3cret"

[table]
a = "x"  # first

[records.r]
size = 7 # small
'''


@dataclass
class Control:
    """A control, and what is done with it: what is typed for a new value and for one that is refused, and what others store."""

    key: str
    selector: str
    typed: str
    new: object
    refused: str | None
    theirs: str
    path: str = ""
    pastes: bool = True
    enter: tuple = (Keys.ENTER,)


STORE = (Keys.CONTROL, Keys.ENTER)
CONTROLS = [
    Control("text", "input", "Lin", "Lin", "1", "Mae"),
    Control("lines", "textarea", "c", "c", None, "d\ne", enter=STORE),
    Control("integer", "input", "20", 20, "2000", "30"),
    Control("slider", "input[role=spinbutton]", "20", 20, "2000", "30"),
    Control("float", "input", "7.25", 7.25, "20", "3.5"),
    Control("colour", "input[type=text]", "#445566", "#445566", "red", "#778899"),
    Control("duration", "input", "45", "45s", "9999", "50s"),
    Control("day", "input", "03042027", "2027-03-04", "03041999", "2028-01-01", pastes=False),
    Control("moment", "input", "03042027091500AM", "2027-03-04T09:15:00", "03041999091500AM", "2028-01-01T00:00:00", pastes=False),
    Control("instant", "input", "03042027091500AM", "2027-03-04T09:15:00+00:00", "03041999091500AM", "2028-01-01T00:00:00Z", pastes=False),
    Control("any", "textarea", "[3]", [3], "= =", "[{ b = 1 }]", enter=STORE),
    Control("list", ".item:nth-child(2) input", "8", [1, 8], "100", "[5, 6]"),
    Control("table", ".member input", "y", {"a": "y"}, "Y", "z", path="table.a"),
    Control("records", ".member input", "9", {"r": {"size": 9}}, "100", "3", path="records.r.size"),
    Control("secret", "input", "hunter", "hunter", "x", "theirs"),
]


class MatrixTest(HandsTest):
    schema = SCHEMA
    text = TEXT

    def begin(self, control):
        """Has the file be as at the beginning, and the cursor in the control."""
        self.home.write(self.home.file, TEXT)
        self.tab.until(lambda: self.tab.one("#file-text").get_property("value") == TEXT.replace('"s3cret"', '"(not in the history)"'), "first text")
        self.tab.rest()
        self.into(control.key, control.selector)
        self.shown = self.value(control)

    def value(self, control):
        return self.tab.row(control.key, f".row-control :is({control.selector})").get_property("value")

    def overtype(self, control, text):
        if control.pastes:
            self.tab.select_all()
        else:
            self.tab.keys(Keys.HOME)
        self.tab.type(text, pause=0.01)

    def enter(self, control):
        actions = ActionChains(self.tab.driver)
        for key in control.enter[:-1]:
            actions.key_down(key)
        actions.send_keys(control.enter[-1])
        for key in control.enter[:-1]:
            actions.key_up(key)
        actions.perform()

    def stored(self, control):
        value = tomllib.loads(self.home.text())[control.key]
        return value.isoformat() if hasattr(value, "isoformat") else value

    def only_changed(self, control):
        """All lines of the file are as they were, but for one."""
        before, after = TEXT.splitlines(), self.home.text().splitlines()
        self.assertEqual(len(before), len(after))
        self.assertEqual(len([1 for old, new in zip(before, after) if old != new]), 1, after)
        comment = next(old for old, new in zip(before, after) if old != new).partition("#" if control.key != "colour" else "\0")[2]
        self.assertIn(comment, self.home.text())

    def undo(self, control):
        self.tab.keys(Keys.ESCAPE)
        self.tab.row(control.key).js("element.focus()")
        self.tab.keys("u")

    def each(self, controls, action):
        for control in controls:
            with self.subTest(control.key):
                self.begin(control)
                action(control)

    def test_what_is_typed_is_stored_once_and_undone(self):
        def action(control):
            self.overtype(control, control.typed)
            self.enter(control)
            self.tab.until(lambda: self.stored(control) == control.new, "new value")
            self.tab.rest()
            self.only_changed(control)
            self.assertEqual(self.tab.message(control.key), "")
            self.assertTrue(self.tab.js("return document.activeElement.closest('.row')?.dataset.key === arguments[0]", control.key))
            self.undo(control)
            if control.key == "secret":
                # The history does not have it.
                self.tab.until(lambda: self.tab.message("secret") != "", "message")
                return
            self.tab.until(lambda: self.home.text() == TEXT, "earlier text")
            self.tab.until(lambda: self.value(control) == self.shown, "earlier value")
        self.each(CONTROLS, action)

    def test_what_is_pasted_is_stored_when_it_is_left(self):
        def action(control):
            # The clipboard has what a person has cut out elsewhere.
            self.tab.point(self.tab.one("#search"))
            self.tab.type(control.typed, pause=0)
            ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys("a").send_keys("x").key_up(Keys.CONTROL).perform()
            self.tab.until(lambda: self.tab.count(".row") > 5, "all settings")
            self.tab.rest()
            self.into(control.key, control.selector)
            ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys("a").send_keys("v").key_up(Keys.CONTROL).perform()
            self.tab.until(lambda: self.value(control) == control.typed, "pasted text")
            if control.key == "secret":
                self.tab.keys(Keys.ENTER)
            self.leave()
            self.tab.until(lambda: self.stored(control) == control.new, "new value")
            self.tab.rest()
            self.only_changed(control)
        self.each([control for control in CONTROLS if control.pastes], action)

    def test_what_is_given_up_is_not_stored(self):
        def action(control):
            self.overtype(control, control.typed)
            self.tab.keys(Keys.ESCAPE)
            self.assertEqual(self.value(control), self.shown)
            self.leave()
            self.idle()
            self.assertEqual(self.home.text(), TEXT)
            self.assertEqual(self.tab.message(control.key), "")
        self.each(CONTROLS, action)

    def test_what_is_refused_stays_and_is_not_stored(self):
        def action(control):
            self.overtype(control, control.refused)
            typed = self.value(control)
            self.enter(control)
            self.tab.until(lambda: self.tab.message(control.key) not in ["", "Storing…"], "message")
            self.assertEqual(self.value(control), typed)
            self.leave()
            self.idle()
            self.assertEqual(self.value(control), typed)
            self.assertEqual(self.home.text(), TEXT)
            self.into(control.key, control.selector)
            self.tab.keys(Keys.ESCAPE)
            self.tab.until(lambda: self.value(control) == self.shown and self.tab.message(control.key) == "", "earlier value")
        self.each([control for control in CONTROLS if control.refused is not None], action)

    def test_what_another_changes_meanwhile_is_said_and_not_overwritten(self):
        def action(control):
            self.overtype(control, control.typed)
            typed = self.value(control)
            self.home.cli("set", APP, control.path or control.key, control.theirs)
            self.tab.until(lambda: "meanwhile" in self.tab.message(control.key), "message")
            theirs = self.home.text()
            self.assertNotEqual(theirs, TEXT)
            self.leave()
            self.idle()
            self.assertEqual(self.home.text(), theirs)
            self.assertEqual(self.value(control), typed)
            self.tab.point(self.tab.row(control.key, ".row-message button:last-child"))
            self.tab.until(lambda: self.tab.message(control.key) == "" and self.value(control) != typed, "their value")
            self.assertEqual(self.home.text(), theirs)
        self.each(CONTROLS, action)


class ChoiceMatrixTest(HandsTest):
    """What is chosen and not typed."""

    schema = SCHEMA
    text = TEXT

    def choices(self):
        return [("few", "input[value='\"two\"']", "two", 'few = "one"', 'few = "two"'), ("many", "select", "two", 'many = "one"', 'many = "two"'),
                ("flag", "input", False, "flag = true", "flag = false")]

    def test_what_is_chosen_is_stored_and_undone(self):
        for key, selector, _, old, new in self.choices():
            with self.subTest(key):
                if key == "many":
                    self.field(key, selector).choose("two")
                else:
                    self.tab.point(self.field(key, selector))
                self.assert_only_changed(TEXT, self.wait_for_text(new), old, new)
                self.tab.rest()
                self.tab.row(key).js("element.focus()")
                self.tab.keys("u")
                self.tab.until(lambda: self.home.text() == TEXT, "earlier text")

    def test_what_is_stepped_through_is_given_up(self):
        for key, selector in [("few", "input:checked"), ("many", "select")]:
            with self.subTest(key):
                self.field(key, selector).js("element.focus()")
                self.tab.keys(Keys.ARROW_DOWN if key == "many" else Keys.ARROW_RIGHT)
                self.tab.keys(Keys.ESCAPE)
                self.idle()
                # Where the machine does much else, the pause may be over before Escape is pressed.
                self.assertIn(self.home.text(), [TEXT, TEXT.replace(f'{key} = "one"', f'{key} = "two"')])

    def test_what_another_chooses_is_shown(self):
        for key, _, value, _, new in self.choices():
            with self.subTest(key):
                self.home.cli("set", APP, key, str(value).lower())
                self.wait_for_text(new)
                field = self.field(key, {"few": "input:checked", "many": "select", "flag": "input"}[key])
                self.tab.until(lambda: field.js("return element.type === 'checkbox' ? element.checked : element.value") in [value, f'"{value}"', "1"], "their choice")
