"""What the file has, and what is invalid there: it is shown, what is new beside it replaces nothing, and any valid value can
be stored over it."""

from harness import APP, Keys, PageTest, read

SCHEMA = f'''app = "{APP}"
[keys.theme]
type = "string"
choices = ["light", "dark", "system"]
default = "system"
[keys.language]
type = "string"
choices = ["en", "de", "fr", "es", "it", "nl"]
default = "en"
[keys.size]
type = "integer"
minimum = 6
maximum = 72
default = 12
[keys.title]
type = "string"
default = "Notes"
[keys.flag]
type = "boolean"
default = false
[keys.day]
type = "local-date"
default = 2026-01-02
[keys.recent]
type = "array"
elements = {{ type = "string" }}
[keys.ports]
type = "array"
elements = {{ type = "integer", minimum = 1, maximum = 65535 }}
default = [22]
[keys.map]
type = "table"
elements = {{ type = "string" }}
[keys.window]
type = "table"
fields = {{ width = {{ type = "integer" }}, tabs = {{ type = "array", elements = {{ type = "string" }} }} }}
[keys.panel]
type = "table"
fields = {{ bar = {{ type = "boolean" }} }}
[keys.servers]
type = "records"
fields = {{ url = {{ type = "string" }}, port = {{ type = "integer" }}, tags = {{ type = "array", elements = {{ type = "string" }} }} }}
'''
TEXT = '''# Mine.
theme = "neon"    # bright
language = "xx"
size = "x" # points
title = 5
flag = "no" # raised
day = 5 # of all
recent = ["a", 5, "c"] # last ones
ports = [80, "x", 443] # open

[map]
md = 5 # five
tx = "text"

[window]
width = "wide"
tabs = ["a", "b"]

[panel]
bar = "yes"

[servers.home] # at home
url = "https://home.example.net/"
port = "p"
tags = ["a", 5]

[servers.office]
url = "https://office.example.net/"
port = 4
'''


class InvalidTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def field(self, key, within):
        return self.tab.row(key, f".row-control {within}")

    def changed(self, old, new):
        """Waits for a passage, and asserts that nothing else is another one."""
        self.assert_only_changed(TEXT, self.wait_for_text(new), old, new)
        self.tab.rest()

    def refused(self, key, word):
        self.tab.until(lambda: word in self.tab.message(key), f"message with '{word}'")
        self.assertEqual(self.home.text(), TEXT)


class InvalidListTest(InvalidTest):
    def test_a_list_with_an_invalid_element_is_edited_as_the_text_of_the_file(self):
        for key, old, new in [("ports", '[80, "x", 443]', "[80, 90, 443]"), ("recent", '["a", 5, "c"]', '["a", "5", "c"]')]:
            with self.subTest(key):
                before = self.home.text()
                self.assertEqual(self.field(key, "textarea").get_property("value"), old)
                self.assertEqual(self.tab.count(f"[data-key={key}] .adder"), 0)
                self.assertNotIn("default", self.tab.texts(f"[data-key={key}] .badge"))
                self.field(key, "textarea").type(new, Keys.CONTROL + Keys.ENTER)
                self.assert_only_changed(before, self.wait_for_text(new), old, new)
                # It has its elements again as soon as it is valid.
                self.tab.until(lambda: self.tab.count(f"[data-key={key}] .item") == 3, "elements")
                self.tab.row(key, ".adder input").type("7")
                self.tab.until(lambda: len(read(self.home, key)) == 4, "new element")

    def test_a_list_that_becomes_invalid_is_not_replaced_by_what_is_typed(self):
        for valid, invalid, count in [("[80, 443]", '[80, "x", 443]', 2), ("[80, 443]", '"80"', 2), ("[]", '"80"', 0)]:
            with self.subTest(invalid, valid=valid):
                self.home.write(self.home.file, f"ports = {valid}\n")
                self.tab.until(lambda: self.tab.count("[data-key=ports] .item") == count and self.tab.count("[data-key=ports] .adder") == 1, "elements")
                self.tab.row("ports", ".adder input").type("90", key="")
                self.home.write(self.home.file, f"ports = {invalid}\n")
                self.tab.until(lambda: "must be" in self.tab.row("ports", ".row-notes").text, "what is wrong")
                self.tab.row("ports", ".adder input").send_keys(Keys.ENTER)
                self.tab.until(lambda: self.tab.message("ports") not in ["", "Storing…"], "message")
                self.assertEqual(self.home.text(), f"ports = {invalid}\n")
                # What is typed stays until it is given up.
                self.tab.rest()
                self.assertEqual(self.tab.row("ports", ".adder input").get_property("value"), "90")
                self.tab.row("ports", ".adder input").send_keys(Keys.ESCAPE)
                self.tab.until(lambda: self.tab.count("[data-key=ports] textarea") == 1, "text of the file")

    def test_what_is_no_list_any_more_is_not_replaced_by_what_is_typed(self):
        self.home.write(self.home.file, 'recent = ["a"]\n')
        self.tab.until(lambda: self.tab.count("[data-key=recent] .item") == 1, "elements")
        self.tab.row("recent", ".adder input").type("b", key="")
        self.home.write(self.home.file, 'recent = "a"\n')
        self.tab.until(lambda: "must be" in self.tab.row("recent", ".row-notes").text, "what is wrong")
        for _ in range(2):
            self.tab.row("recent", ".adder input").send_keys(Keys.ENTER)
            self.tab.until(lambda: "no list" in self.tab.message("recent"), "message")
            self.tab.rest()
        self.assertEqual(self.tab.row("recent", ".adder input").get_property("value"), "b")
        self.assertEqual(self.home.text(), 'recent = "a"\n')
        # It goes on when there is a list again.
        self.home.write(self.home.file, 'recent = ["a"]\n')
        self.tab.until(lambda: "must be" not in self.tab.row("recent", ".row-notes").text, "list")
        self.tab.row("recent", ".adder input").send_keys(Keys.ENTER)
        self.wait_for_text('["a", "b"]')

    def test_a_list_that_becomes_invalid_while_an_element_is_stored_keeps_its_text(self):
        self.home.write(self.home.file, 'recent = ["a"]\n')
        self.tab.until(lambda: self.tab.count("[data-key=recent] .item") == 1, "elements")
        self.hold("options?.method === 'POST'")
        self.tab.row("recent", ".adder input").type("b")
        self.tab.until(lambda: self.tab.js("return window.held.length > 0"), "request")
        self.home.write(self.home.file, 'recent = ["a", 5]\n')
        self.let_go()
        self.tab.until(lambda: "nothing was stored" in self.tab.js("return document.querySelector('[data-key=recent] .row-message').textContent"), "message")
        self.tab.rest()
        self.assertEqual(self.tab.row("recent", ".adder input").get_property("value"), "b")
        self.assertEqual(self.home.text(), 'recent = ["a", 5]\n')

    def test_what_is_no_list_is_not_replaced_by_an_element(self):
        self.home.write(self.home.file, 'ports = "80"\n')
        self.tab.until(lambda: self.field("ports", "textarea").get_property("value") == '"80"', "text of the file")
        self.assertEqual(self.tab.count("[data-key=ports] .adder"), 0)


class InvalidTableTest(InvalidTest):
    def test_a_record_with_an_invalid_field_is_shown_and_not_replaced(self):
        home = ".record[aria-label=home]"
        self.assertEqual(self.field("servers", f"{home} .member:nth-child(1) input").get_property("value"), "https://home.example.net/")
        self.assertEqual(self.field("servers", f"{home} .member:nth-child(2) input").get_property("value"), "p")
        self.assertEqual(self.field("servers", f"{home} textarea").get_property("value"), '["a", 5]')
        self.field("servers", "> .records-box > .adder input").type("home")
        self.refused("servers", "There is a record 'home' already")
        self.field("servers", "> .records-box > .adder input").type("")
        self.field("servers", f"{home} .member:nth-child(2) input").type("8080")
        self.changed('port = "p"', "port = 8080")
        self.field("servers", f"{home} textarea").type('["a", "5"]', Keys.CONTROL + Keys.ENTER)
        self.wait_for_text("port = 8080", 'tags = ["a", "5"]')
        self.tab.until(lambda: self.tab.count(f"{home} .item") == 2, "elements of a record that is valid")
        self.assertEqual(read(self.home, "servers")["home"]["port"], 8080)

    def test_a_record_is_added_beside_one_with_an_invalid_field(self):
        self.field("servers", "> .records-box > .adder input").type("cloud")
        text = self.wait_for_text("[servers.cloud]")
        self.assertTrue(text.startswith(TEXT.rstrip()))

    def test_fields_of_a_table_with_an_invalid_one_are_shown_and_not_replaced(self):
        self.assertEqual(self.field("map", ".member:nth-child(1) input").get_property("value"), "5")
        self.assertEqual(self.field("map", ".member:nth-child(2) input").get_property("value"), "text")
        self.field("map", "> .table-box > .adder input").type("md")
        self.refused("map", "There is a field 'md' already")
        self.field("map", ".member:nth-child(1) input").type("five")
        self.changed("md = 5 # five", 'md = "five" # five')
        self.assertEqual(read(self.home, "map"), {"md": "five", "tx": "text"})

    def test_a_list_in_a_table_with_an_invalid_field_is_not_replaced(self):
        self.assertEqual(self.field("window", ".member:nth-child(1) input").get_property("value"), "wide")
        self.assertEqual(self.field("window", "textarea").get_property("value"), '["a", "b"]')
        self.field("window", ".member:nth-child(1) input").type("800")
        self.changed('width = "wide"', "width = 800")
        self.tab.until(lambda: self.tab.count("[data-key=window] .item") == 2, "elements of a table that is valid")

    def test_what_is_no_table_is_not_replaced_by_a_field(self):
        text = 'map = "str"\nservers = "str"\n'
        self.home.write(self.home.file, text)
        for key in ["map", "servers"]:
            self.tab.until(lambda: self.field(key, "textarea").get_property("value") == '"str"', "text of the file")
        self.assertEqual(self.home.text(), text)

    def test_a_name_that_is_typed_stays_when_its_table_is_none_any_more(self):
        self.home.write(self.home.file, 'title = "x"\n')
        for key in ["map", "servers"]:
            with self.subTest(key):
                adder = f"> :is(.table-box, .records-box) > .adder input"
                self.tab.until(lambda: self.tab.count(f"[data-key={key}] .adder") == 1, "table")
                self.field(key, adder).type("new", key="")
                text = f'{key} = "str"\n'
                self.home.write(self.home.file, text)
                self.tab.until(lambda: "must be" in self.tab.row(key, ".row-notes").text, "what is wrong")
                self.field(key, adder).send_keys(Keys.ENTER)
                self.tab.until(lambda: self.tab.message(key) not in ["", "Storing…"], "message")
                self.tab.rest()
                self.assertEqual(self.field(key, adder).get_property("value"), "new")
                self.assertEqual(self.home.text(), text)
                self.field(key, adder).send_keys(Keys.ESCAPE)
                self.tab.until(lambda: self.field(key, "textarea").get_property("value") == '"str"', "text of the file")


class InvalidValueTest(InvalidTest):
    def test_either_side_is_stored_over_what_is_no_boolean(self):
        for number, value in [(1, "false"), (2, "true")]:
            with self.subTest(value):
                self.home.write(self.home.file, TEXT)
                self.tab.until(lambda: self.tab.one("#file-text").get_property("value") == TEXT, "text")
                for key, old, new in [("flag", 'flag = "no" # raised', f"flag = {value} # raised"), ("panel", 'bar = "yes"', f"bar = {value}")]:
                    before = self.home.text()
                    self.assertEqual(self.field(key, ".segments").js("return element.querySelectorAll(':checked').length"), 0)
                    self.assertEqual(self.tab.row(key, ".other-value").text, "now: Off" if key == "flag" else "now: yes")
                    self.field(key, f".segment:nth-child({number})").click()
                    self.assert_only_changed(before, self.wait_for_text(new), old, new)
                    # It is a switch again.
                    self.assertEqual(self.field(key, ".switch").is_selected(), value == "true")

    def test_the_default_is_stored_over_what_is_no_date(self):
        self.assertEqual(self.field("day", "input").get_property("value"), "")
        self.assertEqual(self.tab.row("day", ".other-value").text, "now: 2026-01-02")
        self.field("day", "input").send_keys("01022026", Keys.ENTER)
        self.changed("day = 5 # of all", "day = 2026-01-02 # of all")
        self.assertEqual(self.tab.count("[data-key=day] .other-value:not([hidden])"), 0)

    def test_the_default_is_stored_over_an_invalid_value(self):
        for key, typed, old, new in [("size", "12", 'size = "x" #', "size = 12 #"), ("title", "Notes", "title = 5", 'title = "Notes"')]:
            with self.subTest(key):
                before = self.home.text()
                self.field(key, "input:not([type=range])").type(typed)
                self.assert_only_changed(before, self.wait_for_text(new), old, new)
                self.tab.rest()

    def test_no_choice_is_taken_for_chosen_where_the_file_has_none_of_them(self):
        self.assertEqual(self.tab.count("[data-key=theme] input:checked"), 0)
        self.assertEqual(self.tab.row("theme", ".other-value").text, "now: system")
        self.field("theme", "input[value='\"system\"']").js("element.click()")
        self.changed('theme = "neon"', 'theme = "system"')
        self.assertEqual(self.tab.row("theme", "input:checked").get_property("value"), '"system"')

    def test_no_option_is_taken_for_chosen_where_the_file_has_none_of_them(self):
        self.assertEqual(self.field("language", "select").get_property("value"), "")
        self.field("language", "select").choose("en")
        self.changed('language = "xx"', 'language = "en"')


class LockedValueTest(InvalidTest):
    text = 'theme = "dark"\nlanguage = "xx"\n'
    system = 'settings-locked = ["theme", "language"]\ntheme = "light"\nlanguage = "de"\n'

    def test_what_an_administrator_has_chosen_is_shown_as_chosen(self):
        self.assertEqual(self.tab.row("theme", "input:checked").get_property("value"), '"light"')
        self.assertEqual(self.field("language", "select").get_property("value"), "1")
