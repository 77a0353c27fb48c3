"""Numbers are what was typed, character by character, or they are refused."""

from harness import APP, Keys
from test_hands import HandsTest

SCHEMA = f'''app = "{APP}"
[keys.ratio]
type = "float"
default = 1.5
[keys.size]
type = "integer"
minimum = 6
maximum = 72
default = 12
[keys.count]
type = "integer"
[keys.opacity]
type = "float"
minimum = 0.2
maximum = 1.0
default = 1.0
[keys.wait]
type = "duration"
default = "30s"
[keys.ports]
type = "array"
elements = {{ type = "integer", minimum = 1 }}
[keys.ratios]
type = "array"
elements = {{ type = "float" }}
[keys.open]
type = "table"
'''
TEXT = '''# Mine.
ports = [80, 443] # open
ratios = [1.0]

[open]
count = 3
ratio = 4.5
days = [2026-01-01]
'''


class TypedTest(HandsTest):
    schema = SCHEMA
    text = TEXT

    def number(self, key, within="[role=spinbutton]"):
        return self.field(key, within)

    def refused(self, key, element, typed, word):
        self.tab.until(lambda: word in self.tab.message(key), f"message with '{word}'")
        self.assertEqual(element.get_property("value"), typed)
        self.assertEqual(element.get_attribute("aria-invalid"), "true")
        self.assertEqual(self.home.text(), TEXT)
        element.send_keys(Keys.ESCAPE)
        self.tab.until(lambda: self.tab.message(key) == "", "end of the message")


class NumberTest(TypedTest):
    def test_what_is_no_number_is_refused_as_it_was_typed(self):
        for key, typed, word in [
            ("ratio", "1,5", "'1,5' is not a number"), ("ratio", "1.500,5", "not a number"), ("ratio", "1 5", "not a number"), ("ratio", ".", "not a number"),
            ("size", "1,5", "'1,5' is not an integer"), ("size", "007", "'007' is not an integer"), ("size", "1.5", "an integer from 6 to 72"),
            ("count", "12abc", "not an integer"), ("count", "99999999999999999999", "does not fit in 64 bits"),
            ("wait", "1,5", "'1,5' is not a number"), ("wait", "1h", "unit"), ("wait", "1h30m", "unit"), ("wait", "5m", "unit"),
        ]:
            with self.subTest(key, typed=typed):
                self.into(key, "[role=spinbutton]")
                self.tab.select_all()
                self.tab.type(typed, Keys.ENTER)
                self.refused(key, self.number(key), typed, word)

    def test_what_is_no_number_is_refused_where_no_schema_says_the_type(self):
        for place, typed, word in [(1, "1,5", "not an integer"), (2, "2,5", "not a number")]:
            with self.subTest(place):
                field = self.field("open", f".member:nth-child({place}) input")
                field.type(typed)
                self.refused("open", field, typed, word)

    def test_notations_of_numbers_are_kept(self):
        for key, typed, new in [("size", "0x10", "size = 0x10\n"), ("count", "1_000", "count = 1_000\n"), ("count", "+5", "count = +5\n"), ("ratio", ".5", "ratio = 0.5\n"),
                                ("ratio", "2", "ratio = 2.0\n"), ("ratio", "1_000", "ratio = 1_000.0\n"), ("ratio", "-1e3", "ratio = -1e3\n"), ("wait", "1.5", 'wait = "1.5s"\n'), ("ratio", "inf", "ratio = inf\n")]:
            with self.subTest(key, typed=typed):
                self.number(key).type(typed)
                self.wait_for_text(new)
                self.tab.rest()
                self.assertEqual(self.tab.message(key), "")

    def test_the_arrow_keys_step_a_number_that_is_stored_after_a_pause(self):
        for key, keys, new in [("size", [Keys.ARROW_UP] * 3, "size = 15\n"), ("size", [Keys.ARROW_DOWN], "size = 14\n"), ("ratio", [Keys.ARROW_UP], "ratio = 2.5\n"),
                               ("wait", [Keys.ARROW_DOWN], 'wait = "29s"\n'), ("opacity", [Keys.ARROW_DOWN] * 2, "opacity = 0.96\n"), ("count", [Keys.ARROW_DOWN], "count = -1\n")]:
            with self.subTest(key):
                before = self.entries()
                self.number(key).js("element.focus()")
                self.tab.type(*keys, pause=0)
                self.wait_for_text(new)
                self.tab.rest()
                self.assertEqual(self.entries(), before + 1)
        self.number("size").type("72", key="")
        self.tab.keys(Keys.ARROW_UP, Keys.ENTER)
        self.wait_for_text("size = 72\n")
        self.number("count").type("9223372036854775806", key="")
        self.tab.keys(Keys.ARROW_UP, Keys.ENTER)
        self.wait_for_text("count = 9223372036854775807\n")

    def test_the_arrow_keys_lose_no_digit_of_a_large_number(self):
        for key, typed, new in [("count", "1234567890123456789", "count = 1234567890123456790\n"), ("ratio", "1234567890123456", "ratio = 1234567890123457.0\n"),
                                ("ratio", "1234567890123.5", "ratio = 1234567890124.5\n"), ("ratio", "-1e300", "ratio = -1e+300\n")]:
            with self.subTest(key, typed=typed):
                self.number(key).type(typed, Keys.ARROW_UP + Keys.ENTER)
                self.wait_for_text(new)
                self.tab.rest()

    def test_a_screen_reader_has_the_number_and_its_bounds(self):
        said = "return ['aria-valuemin', 'aria-valuemax', 'aria-valuenow', 'aria-valuetext'].map((name) => element.getAttribute(name))"
        self.assertEqual(self.number("size").js(said), ["6", "72", "12", "12"])
        self.assertEqual(self.number("count").js(said), [None, None, None, None])
        self.number("size").type("20", key="")
        self.assertEqual(self.number("size").js(said), ["6", "72", "20", "20"])
        self.number("size").send_keys(Keys.ESCAPE)
        self.assertEqual(self.number("size").js(said), ["6", "72", "12", "12"])


class ElementTest(TypedTest):
    def item(self, key, place):
        return self.tab.row(key, f".item:nth-child({place}) input")

    def test_what_is_not_one_element_is_refused_as_it_was_typed(self):
        for key, typed, word in [("ports", "1,5", "'1,5' is not an integer"), ("ports", "1 # 2", "not an integer"), ("ports", "[5]", "not an integer"), ("ports", "x", "not an integer"),
                                 ("ratios", "2,5", "'2,5' is not a number")]:
            with self.subTest(key, typed=typed):
                adder = self.tab.row(key, ".adder input")
                adder.type(typed)
                self.refused(key, adder, typed, word)
                self.item(key, 1).type(typed)
                self.refused(key, self.item(key, 1), typed, word)
        for typed in ["2026-01-01, 2026-01-02", "soon", "2026-1-5", "true"]:
            with self.subTest(typed=typed):
                self.field("open", ".item:nth-child(1) input").type(typed)
                self.refused("open", self.field("open", ".item:nth-child(1) input"), typed, f"'{typed}' is not a date, such as")

    def test_true_and_false_are_chosen(self):
        self.home.write(self.home.schema, SCHEMA + '[keys.steps]\ntype = "array"\nelements = { type = "boolean" }\n')
        self.tab.row("steps", ".adder select").choose("false")
        self.tab.row("steps", ".adder button").click()
        self.wait_for_text("steps = [false]")
        self.tab.row("steps", ".item select").choose("true")
        self.wait_for_text("steps = [true]")

    def test_what_is_out_of_bounds_is_refused_by_the_command(self):
        adder = self.tab.row("ports", ".adder input")
        adder.type("0")
        self.refused("ports", adder, "0", "an integer from 1")

    def test_one_element_is_one_element(self):
        self.tab.row("ratios", ".adder input").type(".5")
        self.wait_for_text("ratios = [1.0, 0.5]")
        self.item("ports", 2).type("0x1F")
        self.wait_for_text("ports = [80, 0x1F] # open")
