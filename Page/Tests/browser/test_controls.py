"""Each control: a value is shown, set, refused, reset, and locked, and only its bytes change."""

import datetime
import tomllib

from harness import APP, Keys, PageTest, read

SCHEMA = '''
app = "org.example.editor"
schema-version = 1

[groups.dates]
description = "Days and times."

[keys.flag]
type = "boolean"
default = false
description = "Whether it is on."
[keys.size]
type = "integer"
minimum = 6
maximum = 72
default = 12
description = "Size of the font, in points."
[keys.count]
type = "integer"
default = 3
[keys.ratio]
type = "float"
minimum = 0.5
default = 1.5
[keys.theme]
type = "string"
choices = ["light", "dark", "auto"]
default = "auto"
description = "Colours of the windows."
[keys.language]
type = "string"
choices = ["en", "de", "fr", "es", "it", "nl"]
default = "en"
[keys.name]
type = "string"
maximum-count = 10
default = "Ada"
[keys.accent]
type = "string"
pattern = "#[0-9a-f]{6}"
default = "#2f5fd0"
[keys.wait]
type = "duration"
maximum = "1h"
default = "30s"
[keys."dates.day"]
type = "local-date"
minimum = 2020-01-01
[keys."dates.time"]
type = "local-time"
[keys."dates.local"]
type = "local-date-time"
[keys."dates.instant"]
type = "offset-date-time"
[keys.columns]
type = "array"
elements = { type = "integer", minimum = 1 }
default = [80]
[keys.words]
type = "array"
elements = { type = "string" }
maximum-count = 4
[keys.bindings]
type = "table"
elements = { type = "string" }
[keys.token]
type = "string"
secret = true
[keys.shape]
type = "any"
'''

TEXT = '''# Mine.

flag   = true    # on
size = 0x0E # points
count = 9007199254740993
ratio = 2.50  # wide
theme = "dark" # eyes
language = 'de'
name = "Grace"  # Hopper
accent = "#3a7d5c"
wait = "90s"
columns = [ 72, 1_00, ] # two
words = [
  "one",   # first
  "two",
  'three', # last
]
token = "s3cret"
shape = [[1, 2], [3]]

[dates]
day = 2026-01-15 # a Thursday
time = 08:30:00
local = 2026-01-15 08:30:00
instant = 2026-01-15T08:30:00+01:00

[bindings]
"ctrl+d" = "copy"   # twice
save = "ctrl+s"
'''


# Adds an element to the list, and records how many elements it shows from then on.
QUICK = """window.shown = [];
    window.list = document.querySelector("[data-key=columns]");
    window.add = (text) => {
        const input = list.querySelector(".adder input");
        input.value = text;
        input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    };
    new MutationObserver(() => shown.push(list.querySelectorAll(".item").length)).observe(list.querySelector(".items"), { childList: true });
    """

# Holds the answer to the first write back, until release().
HOLD = """const send = fetch;
    window.fetch = async (path, options) => {
        const answer = await send(path, options);
        if (options?.method === "POST" && !window.isHeld) {
            window.isHeld = true;
            await new Promise((done) => { window.release = done; });
        }
        return answer;
    };
    """


class ControlTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def field(self, key, selector="input, select, textarea"):
        return self.tab.row(key, f".row-control :is({selector})")

    def changed(self, old, new):
        """Waits for a passage, and asserts that nothing else is another one."""
        after = self.wait_for_text(new)
        self.assert_only_changed(TEXT, after, old, new)

    def test_a_switch_sets_its_value(self):
        self.field("flag").send_keys(Keys.SPACE)
        self.changed("flag   = true    # on", "flag   = false    # on")

    def test_a_number_is_typed_and_stored(self):
        self.assertEqual(self.field("size", "input[role=spinbutton]").get_property("value"), "14")
        self.field("size", "input[role=spinbutton]").type("20")
        self.changed("size = 0x0E # points", "size = 20 # points")

    def test_a_slider_sets_a_number(self):
        self.field("size", "input[type=range]").send_keys(Keys.ARROW_RIGHT)
        self.changed("size = 0x0E # points", "size = 15 # points")

    def test_a_number_out_of_its_range_is_refused_as_it_is_typed(self):
        field = self.field("size", "input[role=spinbutton]")
        field.type("100", key="")
        self.tab.until(lambda: "from 6 to 72" in self.tab.message("size"), "message")
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        self.assertEqual(self.home.text(), TEXT)
        field.send_keys(Keys.ESCAPE)
        self.assertEqual(field.get_property("value"), "14")
        self.assertEqual(self.tab.message("size"), "")

    def test_what_is_said_of_a_text_that_was_taken_back_is_not_shown(self):
        self.tab.js(HOLD)
        field = self.field("size", "input[role=spinbutton]")
        field.type("100", key="")
        self.tab.until(lambda: self.tab.js("return Boolean(window.isHeld)"), "question whether it fits")
        self.tab.keys(Keys.ESCAPE)
        self.tab.js("window.release()")
        self.assertEqual(self.tab.message("size"), "")
        self.assertEqual(field.get_property("value"), "14")

    def test_an_integer_of_64_bits_stays_exact(self):
        field = self.field("count")
        self.assertEqual(field.get_property("value"), "9007199254740993")
        field.type("9223372036854775807")
        self.changed("count = 9007199254740993", "count = 9223372036854775807")

    def test_a_float_stays_a_float(self):
        self.field("ratio", "input[role=spinbutton]").type("3")
        self.changed("ratio = 2.50  # wide", "ratio = 3.0  # wide")

    def test_a_choice_of_a_few_is_chosen(self):
        self.field("theme", "input[value='\"light\"']").js("element.click()")
        self.changed('theme = "dark" # eyes', 'theme = "light" # eyes')

    def test_enter_leads_to_the_choice_that_is_chosen(self):
        self.tab.row("theme").js("element.focus()")
        self.tab.keys(Keys.ENTER)
        self.assertEqual(self.tab.js("return document.activeElement.value"), '"dark"')
        self.tab.keys(Keys.ARROW_RIGHT)
        self.changed('theme = "dark" # eyes', 'theme = "auto" # eyes')

    def test_a_choice_of_many_is_chosen(self):
        self.field("language").choose("fr")
        self.changed("language = 'de'", "language = 'fr'")

    def test_a_text_is_typed_and_stored(self):
        self.field("name").type('Q"uo\\te')
        self.changed('name = "Grace"  # Hopper', 'name = "Q\\"uo\\\\te"  # Hopper')

    def test_a_text_that_is_too_long_is_refused_and_stays_to_be_mended(self):
        field = self.field("name")
        field.type("much too long")
        self.tab.until(lambda: "10" in self.tab.message("name"), "message")
        self.assertEqual(field.get_property("value"), "much too long")
        self.assertEqual(self.home.text(), TEXT)

    def test_a_colour_is_set_by_its_text(self):
        self.assertEqual(self.field("accent", "input[type=color]").get_property("value"), "#3a7d5c")
        self.field("accent", "input[type=text]").type("#00ff00")
        self.changed("#3a7d5c", "#00ff00")

    def test_a_colour_is_set_by_the_picker(self):
        self.field("accent", "input[type=color]").js("""element.value = '#112233';
            for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }));""")
        self.changed("#3a7d5c", "#112233")

    def test_a_duration_is_set_with_its_unit(self):
        self.field("wait", "select").choose("minutes")
        self.tab.until(lambda: "hour" in self.tab.message("wait") or "1h" in self.tab.message("wait"), "message")
        self.field("wait", "input").type("5")
        self.changed('wait = "90s"', 'wait = "5m"')

    def test_dates_and_times_are_set(self):
        for key, value, old, new in [
            ("dates.day", "2027-02-03", "day = 2026-01-15 #", "day = 2027-02-03 #"),
            ("dates.time", "09:45:10", "time = 08:30:00", "time = 09:45:10"),
            ("dates.local", "2027-02-03T09:45:10", "local = 2026-01-15 08:30:00", "local = 2027-02-03T09:45:10"),
            ("dates.instant", "2027-02-03T09:45:10", "2026-01-15T08:30:00+01:00", "2027-02-03T09:45:10+01:00"),
        ]:
            with self.subTest(key):
                before = self.home.text()
                field = self.field(key, "input")
                field.js("""element.focus(); [element.value] = given;
                    element.dispatchEvent(new Event('input', { bubbles: true }));""", value)
                field.send_keys(Keys.ENTER)
                self.assert_only_changed(before, self.wait_for_text(new), old, new)

    def test_a_day_before_the_first_is_refused(self):
        field = self.field("dates.day")
        field.js("element.value = '2019-01-01'; element.dispatchEvent(new Event('input', { bubbles: true }))")
        self.tab.until(lambda: "2020-01-01" in self.tab.message("dates.day"), "message")
        self.assertEqual(self.home.text(), TEXT)

    def test_an_element_of_a_list_is_changed(self):
        self.tab.row("words", ".item:nth-child(2) input").type("zwei")
        self.changed('"two"', '"zwei"')

    def test_an_element_is_added_and_removed(self):
        self.tab.row("columns", ".adder input").type("120")
        self.wait_for_text("120")
        self.tab.until(lambda: self.tab.count("[data-key=columns] .item") == 3, "third element")
        self.tab.press("columns", ".item:nth-child(3) button:last-child")
        self.wait_for_text("1_00", absent=["120"])

    def test_an_element_that_was_removed_does_not_come_back_while_another_is_added(self):
        self.tab.row("columns").wait()
        self.tab.js(QUICK)
        for _ in range(5):
            self.tab.js("""shown = []; add("120");
                setTimeout(() => {
                    list.querySelector(".item:nth-child(3) button:last-child").click();
                    setTimeout(() => add("140"), 0);
                }, 0);""")
            self.wait_for_text("columns = [ 72, 1_00, 140, ]")
            self.tab.until(lambda: self.tab.js("return !list.hasAttribute('aria-busy')"), "end")
            self.assertEqual(self.tab.js("return shown"), [3, 2, 3])
            self.tab.press("columns", ".item:nth-child(3) button:last-child")
            self.wait_for_text("columns = [ 72, 1_00, ]")

    def test_what_was_made_from_a_refused_list_is_not_stored(self):
        self.tab.row("columns").wait()
        self.tab.js(QUICK + """add("-5"); add("140");""")
        self.tab.until(lambda: self.tab.message("columns"), "message")
        self.tab.until(lambda: self.tab.count("[data-key=columns] .item") == 2, "former list")
        self.assertEqual(self.home.text(), TEXT)
        self.tab.row("columns", ".adder input").type("140")
        self.wait_for_text("columns = [ 72, 1_00, 140, ]")

    def test_what_was_made_from_a_list_that_another_has_changed_is_not_stored(self):
        self.tab.row("columns").wait()
        self.tab.js(HOLD + QUICK + """add("120"); add("140");""")
        self.tab.until(lambda: self.tab.js("return Boolean(window.isHeld)"), "first write")
        self.home.cli("set", self.home.app, "columns", "[7]")
        self.tab.js("window.release()")
        self.tab.until(lambda: "changed meanwhile" in self.tab.message("columns"), "message")
        self.assertEqual(self.stored("columns"), [7])
        self.assertEqual(self.order("columns"), ["7"])

    def test_a_switch_that_is_pressed_quickly_shows_only_what_was_chosen(self):
        self.tab.row("flag").wait()
        self.tab.js("""window.shown = [];
            const input = document.querySelector("[data-key=flag] input");
            const words = document.querySelector("[data-key=flag] .switch-text");
            new MutationObserver(() => shown.push(words.textContent)).observe(words, { childList: true });
            input.click(); input.click(); input.click();""")
        self.wait_for_text("flag   = false    # on")
        self.tab.until(lambda: self.tab.row("flag", ".switch-text").text == "Off", "switch")
        self.assertEqual(set(self.tab.js("return shown")), {"Off"})
        self.assertFalse(self.field("flag").is_selected())

    def test_an_element_is_moved_with_the_keyboard(self):
        self.tab.row("words", ".item:nth-child(3) .grip").send_keys(Keys.ARROW_UP)
        self.tab.until(lambda: self.order("words") == ["one", "three", "two"], "new order")
        self.tab.until(lambda: self.stored("words") == ["one", "three", "two"], "stored order")
        self.assertIn("# first", self.home.text())
        self.tab.until(lambda: "element 2" in self.tab.js("return document.activeElement.getAttribute('aria-label') ?? ''"), "focus on the moved element")

    def test_an_element_is_moved_with_the_pointer(self):
        self.tab.row("words", ".item:nth-child(1) .grip").drag(self.tab.row("words", ".item:nth-child(3) .grip"))
        self.tab.until(lambda: self.stored("words") == ["two", "three", "one"], "stored order")

    def order(self, key):
        return self.tab.js("return [...document.querySelectorAll(`[data-key='${arguments[0]}'] .item input`)].map((input) => input.value)", key)

    def stored(self, key):
        return read(self.home, key)

    def test_a_list_that_would_be_too_long_is_refused(self):
        for word in ["four", "five"]:
            self.tab.row("words", ".adder input").type(word)
            self.tab.until(lambda: word in str(self.stored("words")) or self.tab.message("words"), "answer")
        self.assertNotIn("five", self.home.text())
        self.assertNotEqual(self.tab.message("words"), "")

    def test_a_field_of_a_table_is_changed_added_and_removed(self):
        self.tab.row("bindings", ".member:nth-child(1) input").type("paste")
        self.changed('"ctrl+d" = "copy"   # twice', '"ctrl+d" = "paste"   # twice')
        self.tab.row("bindings", ".adder input").type("ctrl+q")
        self.wait_for_text('"ctrl+q" = ""')
        self.tab.menu("ctrl+d", "Remove ctrl+d")
        self.wait_for_text('save = "ctrl+s"', absent=["paste"])

    def test_a_value_without_a_control_is_edited_as_toml(self):
        field = self.field("shape", "textarea")
        self.assertEqual(field.get_property("value"), "[[1, 2], [3]]")
        field.type("{ a = 1 }", Keys.CONTROL + Keys.ENTER)
        self.changed("shape = [[1, 2], [3]]", "shape = { a = 1 }")

    def test_what_is_no_toml_is_refused(self):
        self.field("shape", "textarea").type("[1,", Keys.CONTROL + Keys.ENTER)
        self.tab.until(lambda: self.tab.message("shape"), "message")
        self.assertEqual(self.home.text(), TEXT)

    def test_a_secret_is_written_and_never_shown(self):
        field = self.field("token", "input")
        self.assertEqual(field.get_property("value"), "")
        field.type("new-s3cret")
        self.changed('token = "s3cret"', 'token = "new-s3cret"')
        self.assertEqual(self.field("token", "input").get_property("value"), "")

    def test_a_secret_is_reset_after_a_question(self):
        text = self.home.text()
        for answer in ["Keep it", Keys.ESCAPE, "Reset it"]:
            self.assertEqual(self.home.text(), text)
            self.tab.press("token", ".row-tools button[aria-label^=Reset]")
            if answer == Keys.ESCAPE:
                self.tab.until(lambda: self.tab.count("dialog") == 1, "question")
                self.tab.keys(answer)
            else:
                self.tab.click("dialog button", answer)
            self.tab.until(lambda: self.tab.count("dialog") == 0, "answer")
        self.tab.until(lambda: self.home.text() == text.replace('token = "s3cret"\n', ""), "file without the secret")

    def test_a_secret_that_was_changed_during_the_question_is_not_reset(self):
        self.tab.press("token", ".row-tools button[aria-label^=Reset]")
        self.tab.until(lambda: self.tab.count("dialog") == 1, "question")
        self.home.cli("set", APP, "token=another", "size=20")
        self.tab.until(lambda: self.field("size", "input[role=spinbutton]").get_property("value") == "20", "change")
        self.tab.click("dialog button", "Reset it")
        self.tab.until(lambda: "changed meanwhile, so nothing was stored" in self.tab.message("token"), "refusal")
        self.assertIn('token = "another"', self.home.text())

    def test_each_value_is_reset(self):
        for key, default in [("flag", "false"), ("size", "12"), ("ratio", "1.5"), ("name", "Ada"), ("wait", "30"), ("words", None), ("dates.day", "")]:
            with self.subTest(key):
                before = self.home.text()
                self.tab.press(key, ".row-tools button[aria-label^=Reset]")
                self.tab.until(lambda: self.home.text() != before, "change")
                self.tab.until(lambda: not self.tab.row(key, ".row-tools button:first-child").is_displayed(), "row without a value")
                if key == "flag":
                    self.assertFalse(self.field(key).is_selected())
                elif key == "words":
                    self.assertEqual(self.order(key), [])
                else:
                    self.assertEqual(self.field(key, "input:not([type=range])").get_property("value"), default)


class OpenTableTest(PageTest):
    """What no schema describes keeps the types that it has in the file, and JSON says less of them."""

    schema = '''
app = "org.example.editor"
schema-version = 1
[keys.open]
type = "table"
[keys.any]
type = "any"
[keys.spread]
type = "array"
elements = { type = "any" }
[keys.since]
type = "local-date"
default = 2026-01-01
'''
    text = '''# Mine.
[open]
days = [2026-01-01, 2026-01-02] # days
ratios = [1.0, 2.50]
mixed = [1.0, 2, "2026-01-01"]
nested = [[2026-01-01], [3.0]]
ratio = 2.0
at = 07:32:00.123456
count = 0x1F
text = "2026-01-01"
[open.deep]
days = [2026-01-01]
'''
    system = '''any = [2026-01-01, 2026-01-02]
spread = [1.0, 2.0]
[other]
day = 2026-01-01
days = [2026-01-01]
'''

    def changed(self, old, new):
        before = self.home.text()
        return lambda: self.assert_only_changed(before, self.wait_for_text(new), old, new)

    def member(self, name, within="input"):
        return self.tab.row("open", f".member:has(> .member-name > [title='{name}']) {within}")

    def test_an_element_of_a_table_is_changed_and_the_others_keep_their_types(self):
        for name, place, typed, old, new in [
            ("days", 1, "2026-05-05", "[2026-01-01, 2026-01-02] #", "[2026-05-05, 2026-01-02] #"), ("ratios", 1, "7", "[1.0, 2.50]", "[7.0, 2.50]"),
            ("mixed", 2, "3", "[1.0, 2,", "[1.0, 3,"), ("mixed", 3, "x", '3, "2026-01-01"]', '3, "x"]'),
        ]:
            with self.subTest(name, place=place):
                check = self.changed(old, new)
                self.member(name, f".item:nth-child({place}) input").type(typed)
                check()
                self.tab.rest()
                self.assertEqual(self.tab.message("open"), "")

    def test_an_element_is_added_and_removed_beside_others_without_a_schema(self):
        check = self.changed("[2026-01-01, 2026-01-02] #", "[2026-01-01, 2026-01-02, 2026-01-03] #")
        self.member("days", ".adder input").type("2026-01-03")
        check()
        check = self.changed("[2026-01-01, 2026-01-02, 2026-01-03] #", "[2026-01-02, 2026-01-03] #")
        self.member("days", ".item:nth-child(1) button:last-child").click()
        check()
        self.member("mixed", ".item:nth-child(1) button:last-child").click()
        self.wait_for_text('mixed = [2, "2026-01-01"]')

    def test_single_values_and_arrays_of_arrays_keep_their_types(self):
        for name, field, typed, key, old, new in [
            ("ratio", "input", "3", Keys.ENTER, "ratio = 2.0", "ratio = 3.0"), ("count", "input", "32", Keys.ENTER, "count = 0x1F", "count = 32"),
            ("at", "input", "07:32:00.123457", Keys.ENTER, "123456", "123457"), ("text", "input", "2026-01-02", Keys.ENTER, 'text = "2026-01-01"', 'text = "2026-01-02"'),
            ("nested", "textarea", "[[2026-01-02], [3.0]]", Keys.CONTROL + Keys.ENTER, "[[2026-01-01], [3.0]]", "[[2026-01-02], [3.0]]"),
        ]:
            with self.subTest(name):
                check = self.changed(old, new)
                self.member(name, field).type(typed, key)
                check()

    def test_what_is_no_time_is_refused_where_a_time_is(self):
        self.member("at").type("soon")
        self.tab.until(lambda: "TOML value" in self.tab.message("open"), "message")
        self.assertEqual(self.home.text(), self.text)

    def test_values_of_administrators_keep_their_types(self):
        for key, typed, new in [("any", "2026-05-05", "any = [2026-05-05, 2026-01-02]"), ("spread", "7", "spread = [7.0, 2.0]")]:
            with self.subTest(key):
                self.tab.row(key, ".item:nth-child(1) input").type(typed)
                self.wait_for_text(new)

    def test_what_is_copied_keeps_its_types(self):
        self.tab.tool("#copy")
        self.tab.click(".dialog .segment", "Those that")
        self.tab.click(".dialog .segment", "drop-in")
        self.tab.until(lambda: "since" in self.tab.one(".copy-text").get_property("value"), "text")
        self.assertEqual(tomllib.loads(self.tab.one(".copy-text").get_property("value")), {
            **tomllib.loads(self.text), **tomllib.loads(self.system), "since": datetime.date(2026, 1, 1)})


class EdgeTest(PageTest):
    """Values that a browser's fields do not have, and new ones where a schema does not allow just any."""

    schema = '''
app = "org.example.editor"
schema-version = 1
[keys.ratio]
type = "float"
[keys.day]
type = "local-date"
[keys.time]
type = "local-time"
[keys.any]
type = "any"
[keys.sizes]
type = "array"
elements = { type = "float", choices = [1.0, 2.5, 4.0] }
[keys.codes]
type = "array"
elements = { type = "integer", choices = [31, 32] }
[keys.few]
type = "table"
elements = { type = "string", choices = ["one", "two"] }
[keys.least]
type = "table"
elements = { type = "integer", minimum = 3 }
[keys.days]
type = "table"
elements = { type = "local-date" }
[keys.waits]
type = "table"
elements = { type = "duration" }
[keys.places]
type = "records"
fields = { size = { type = "float", minimum = 1.0, required = true }, name = { type = "string" } }
[keys.mirrors]
type = "records"
[keys.mirrors.fields]
address = { type = "url", required = true }
id = { type = "uuid", required = true }
price = { type = "decimal", required = true }
sign = { type = "character", required = true }
zone = { type = "time-zone", required = true }
'''
    text = '''ratio = nan
day = 0000-01-01
time = 23:59:60
any = inf
sizes = [1.0, 2.5]
codes = [0x1F, 32]
'''

    def test_what_a_field_cannot_hold_is_shown_and_changed_as_text(self):
        for key, shown, typed, new in [("ratio", "nan", "2", "ratio = 2.0"), ("day", "0000-01-01", "2026-02-03", "day = 2026-02-03"),
                                       ("time", "23:59:60", "08:30:00", "time = 08:30:00"), ("any", "inf", "3", "any = 3.0")]:
            with self.subTest(key):
                self.assertEqual(self.tab.value(key), shown)
                self.tab.row(key, ".row-control input").type(typed)
                self.wait_for_text(new + "\n")

    def test_the_choice_of_an_element_shows_whatever_its_notation(self):
        chosen = "return [...document.querySelectorAll(`[data-key=${arguments[0]}] .item select`)].map((one) => one.selectedOptions[0]?.textContent)"
        self.tab.row("codes").wait()
        self.assertEqual(self.tab.js(chosen, "sizes"), ["1", "2.5"])
        self.assertEqual(self.tab.js(chosen, "codes"), ["31", "32"])
        self.tab.row("sizes", ".item:nth-child(2) select").choose("4")
        self.wait_for_text("sizes = [1.0, 4.0]")

    def test_what_is_new_has_a_value_that_the_schema_allows(self):
        for key, new in [("few", 'first = "one"'), ("least", "first = 3"), ("days", "first = 20"), ("waits", 'first = "0s"'), ("places", "size = 1"), ("mirrors", "[mirrors.first]")]:
            with self.subTest(key):
                self.tab.row(key, ".adder input").type("first")
                self.wait_for_text(new)
                self.tab.rest()
                self.assertEqual(self.tab.message(key), "")


class UnknownKeyTest(PageTest):
    text = "columns = [ 72, 1_00, ]\nother = 1\n"
    system = "days = [2026-01-01, 2026-01-02]\n"

    def test_dates_of_administrators_stay_dates(self):
        self.tab.row("days", ".item:nth-child(1) input").type("2026-05-05")
        self.assertEqual(self.wait_for_text("days"), self.text + "days = [2026-05-05, 2026-01-02]\n")

    def test_a_list_that_another_has_removed_is_not_stored(self):
        self.tab.row("columns").wait()
        self.tab.js("""window.uncaught = [];
            addEventListener("unhandledrejection", (event) => uncaught.push(String(event.reason)));""")
        self.tab.js(HOLD + QUICK + """add("120"); add("140");""")
        self.tab.until(lambda: self.tab.js("return Boolean(window.isHeld)"), "first write")
        self.assertIn("120", self.home.text())
        self.home.cli("unset", self.home.app, "columns")
        self.tab.js("window.release()")
        self.tab.until(lambda: self.tab.js("return !list.hasAttribute('aria-busy')"), "end")
        # What was not stored stays until it is given up.
        self.tab.until(lambda: self.tab.row("columns", ".adder input").get_property("value") == "140", "text")
        self.tab.row("columns", ".adder input").send_keys(Keys.ESCAPE)
        self.tab.until(lambda: self.tab.count("[data-key=columns]") == 0, "page without it")
        # What nobody has caught is said after all that runs now.
        self.assertEqual(self.tab.driver.execute_async_script("setTimeout(() => arguments[0](window.uncaught), 0)"), [])
        self.assertEqual(self.home.text(), "other = 1\n")


class LockTest(PageTest):
    schema = SCHEMA
    text = TEXT
    system = '''settings-locked = [
  "flag", "size", "theme", "language", "name", "accent", "wait", "dates", "columns", "words", "bindings", "shape",
  { key = "token", reason = "Ask help@example.org." },
]
size = 10
'''

    def test_locked_values_cannot_be_changed_and_say_who_and_why(self):
        for key in ["flag", "size", "theme", "language", "name", "accent", "wait", "dates.day", "dates.instant", "columns", "words", "bindings", "shape", "token"]:
            with self.subTest(key):
                text, controls, open_controls = self.tab.row(key).js("""const all = [...element.querySelectorAll('.row-control :is(input, select, textarea, button)')];
                    return [seenText(element), all.length, all.filter((one) => !one.matches(':disabled')).length]""")
                self.assertIn("Locked by an administrator", text)
                self.assertGreater(controls, 0)
                self.assertEqual(open_controls, 0)
        self.assertIn("Ask help@example.org", self.tab.row("token").text)
        self.assertEqual(self.field("size"), "10")
        self.assertEqual(self.home.text(), TEXT)

    def field(self, key):
        return self.tab.value(key, "input[role=spinbutton]")


class FirstValueTest(PageTest):
    """Settings without a value and without a default."""

    schema = '''
app = "org.example.editor"
schema-version = 1
[keys.flag]
type = "boolean"
[keys.few]
type = "float"
choices = [1.0, 1.5]
[keys.many]
type = "float"
choices = [1.0, 1.5, 2.0, 2.5, 3.0]
[keys.table]
type = "table"
fields = { on = { type = "boolean" } }
'''
    text = "# Mine.\n"

    def test_either_side_of_a_boolean_is_one_click(self):
        for value, side in [("false", 1), ("true", 2)]:
            with self.subTest(value):
                self.tab.row("flag", f".segment:nth-child({side}) input").js("element.focus(); element.click()")
                self.wait_for_text(f"flag = {value}")
                self.tab.until(lambda: self.tab.row("flag", "[role=switch]").is_selected() == (value == "true"), "switch")
                self.assertEqual(self.tab.js("return document.activeElement.getAttribute('role')"), "switch")
                self.home.cli("unset", "org.example.editor", "flag")
                self.tab.row("flag", ".segment").wait()
        self.tab.row("table", ".segment").click()
        self.wait_for_text("on = false")

    def test_a_choice_of_a_float_stays_a_float(self):
        self.tab.row("few", ".segment").click()
        self.wait_for_text("few = 1.0")
        self.tab.row("many", "select").choose("3")
        self.wait_for_text("many = 3.0")
