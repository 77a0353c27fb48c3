"""The page in the hands of a person: a pointer that clicks on places, and keys that are pressed one by one where the focus
is. What is typed is stored once, when it is whole; or it stays where it was typed."""

import json
import tomllib

from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

from harness import APP, ActionChains, Keys, PageTest, read

SCHEMA = '''
app = "org.example.editor"
schema-version = 1

[keys.first-day]
type = "local-date"
[keys.starts]
type = "offset-date-time"
[keys.wait]
type = "duration"
[keys.size]
type = "integer"
minimum = 6
maximum = 72
default = 12
[keys.opacity]
type = "float"
minimum = 0.2
maximum = 1.0
default = 1.0
[keys.title]
type = "string"
[keys.name]
type = "string"
pattern = "[A-Z][a-z]*"
[keys.token]
type = "string"
secret = true
[keys.language]
type = "string"
choices = ["en", "de", "fr", "es", "it", "nl"]
default = "en"
[keys.theme]
type = "string"
choices = ["light", "dark", "auto"]
default = "auto"
[keys.flag]
type = "boolean"
default = false
[keys.columns]
type = "array"
elements = { type = "integer", minimum = 1, maximum = 999 }
[keys.words]
type = "array"
elements = { type = "string" }
[keys.colours]
type = "array"
elements = { type = "string", choices = ["red", "green", "blue"] }
[keys.shape]
type = "any"
[keys.bindings]
type = "table"
elements = { type = "string" }
[keys.servers]
type = "records"
fields = { url = { type = "string" }, timeout = { type = "duration", default = "30s" } }
'''

TEXT = '''# Mine.
title = "Notes"  # of mine
columns = [ 72, 80, 100 ]
words = ["one", "two"]

[bindings]
md = "markdown"

[servers.home]
url = "https://nas.example.net/"
timeout = "45s"
'''


class HandsTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def field(self, key, selector="input, select, textarea"):
        return self.tab.row(key, f".row-control :is({selector})")

    def into(self, key, selector="input, select, textarea"):
        """Clicks into a field, near its beginning."""
        self.tab.point(self.field(key, selector), x=0.04)

    def leave(self):
        """Clicks on a place where nothing is."""
        self.tab.point(self.tab.one("#count"), x=0.9)

    def entries(self):
        """How many entries the history has."""
        return len(json.loads(self.home.cli("log", APP, "--json", fails=True) or "[]"))

    def idle(self):
        """Waits until nothing is asked, and nothing that waits for a pause is left."""
        rests = "return new Promise((done) => { setTimeout(() => done(!document.documentElement.hasAttribute('data-busy')), 900); })"
        self.tab.until(lambda: self.tab.js(rests), "rest")

    def let_go_until(self, key, word):
        """Lets go of all requests, also of those that these make, until a message has a word. The page is busy until then."""
        message = f"return document.querySelector('[data-key={key}] .row-message').textContent"
        self.tab.until(lambda: self.let_go() or word in self.tab.js(message), f"message with '{word}'")

    def asks_before_leaving(self):
        return self.tab.js("const event = new Event('beforeunload', { cancelable: true }); window.dispatchEvent(event); return event.defaultPrevented")

    def message_has(self, key, text):
        self.tab.until(lambda: text in self.tab.message(key), f"message with '{text}'")


class CommitTest(HandsTest):
    def test_a_first_date_is_typed_and_stored_once(self):
        self.into("first-day")
        self.tab.type("12242026")
        self.idle()
        self.assertEqual(self.home.text(), TEXT)
        self.tab.keys(Keys.ENTER)
        self.wait_for_text("first-day = 2026-12-24")
        self.tab.rest()
        self.assertEqual(self.tab.focused(), "first-day")
        self.assertEqual(self.entries(), 1)

    def test_a_date_over_another_one_is_stored_once_when_it_is_left(self):
        self.home.cli("set", APP, "first-day", "2026-01-15")
        self.tab.until(lambda: self.tab.value("first-day") == "2026-01-15", "date")
        self.into("first-day")
        self.tab.type("11232027")
        self.idle()
        self.assertIn("first-day = 2026-01-15", self.home.text())
        self.leave()
        self.wait_for_text("first-day = 2027-11-23")
        self.tab.rest()
        self.assertEqual(self.entries(), 2)

    def test_a_date_that_is_not_whole_stays_and_is_not_stored(self):
        self.into("first-day")
        self.tab.type("1224")
        self.home.cli("set", APP, "size", "20")
        self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "20", "change elsewhere")
        self.leave()
        self.message_has("first-day", "not a whole date")
        self.assertNotIn("first-day", self.home.text())
        self.assertTrue(self.field("first-day").js("return element.validity.badInput"))
        self.into("first-day")
        self.tab.keys(Keys.ESCAPE)
        self.assertFalse(self.field("first-day").js("return element.validity.badInput"))
        self.assertEqual(self.tab.message("first-day"), "")

    def test_a_first_value_leaves_the_focus_where_it_is(self):
        for key, typed, stored in [("size", "2", "size = 2"), ("name", "Ada", 'name = "Ada"')]:
            with self.subTest(key):
                self.into(key, "input:not([type=range])")
                self.tab.select_all()
                self.tab.type("20" if key == "size" else typed, Keys.ENTER)
                self.wait_for_text(stored)
                self.tab.rest()
                self.assertEqual(self.tab.focused(), key)
                self.assertTrue(self.tab.js("return document.activeElement.matches('input')"))

    def test_escape_gives_up_what_was_typed_and_what_was_refused(self):
        self.into("name")
        self.tab.type("ada", Keys.ENTER)
        self.message_has("name", "[A-Z]")
        self.assertEqual(self.tab.value("name"), "ada")
        self.leave()
        self.assertEqual(self.tab.value("name"), "ada")
        self.into("name")
        self.tab.keys(Keys.ESCAPE)
        self.assertEqual(self.tab.value("name"), "")
        self.assertEqual(self.tab.message("name"), "")
        self.assertEqual(self.home.text(), TEXT)

    def test_a_value_that_changed_meanwhile_is_not_overwritten_by_leaving(self):
        self.into("size", "input[role=spinbutton]")
        self.tab.select_all()
        self.tab.type("52")
        self.home.cli("set", APP, "size", "60")
        self.message_has("size", "Changed meanwhile to 60")
        self.leave()
        self.idle()
        self.assertIn("size = 60", self.home.text())
        self.assertEqual(self.tab.value("size", "input[role=spinbutton]"), "52")
        self.message_has("size", "Changed meanwhile to 60")
        self.tab.point(self.tab.row("size", ".row-message button"))
        self.wait_for_text("size = 52")

    def test_a_value_that_changed_meanwhile_is_taken_or_overwritten_with_enter(self):
        for key, expected in [(Keys.ENTER, "size = 52"), (Keys.ESCAPE, "size = 60")]:
            with self.subTest(expected):
                self.home.write(self.home.file, TEXT)
                self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "12", "default")
                self.into("size", "input[role=spinbutton]")
                self.tab.select_all()
                self.tab.type("52")
                self.home.cli("set", APP, "size", "60")
                self.message_has("size", "Changed meanwhile to 60")
                self.tab.keys(key)
                self.wait_for_text(expected)
                self.tab.until(lambda: self.tab.message("size") == "", "end of the message")
                self.leave()
                self.idle()
                self.assertIn(expected, self.home.text())

    def test_a_change_that_the_page_has_not_heard_of_is_not_overwritten(self):
        self.into("size", "input[role=spinbutton]")
        self.tab.select_all()
        self.tab.type("52")
        self.hold('options?.method === "GET"')
        self.home.cli("set", APP, "size", "60")
        self.tab.until(lambda: self.tab.js("return window.held.length > 0"), "reading that waits")
        self.tab.keys(Keys.ENTER)
        self.let_go_until("size", "meanwhile")
        self.assertIn("size = 60", self.home.text())
        self.assertEqual(self.tab.js("return document.querySelector('[data-key=size] input[role=spinbutton]').value"), "52")

    def test_what_another_stores_after_it_was_typed_is_no_draft(self):
        self.into("title")
        self.tab.select_all()
        self.tab.type("Lin", Keys.ENTER)
        self.wait_for_text('title = "Lin"')
        self.home.cli("set", APP, "title", "Mae")
        self.tab.until(lambda: self.tab.value("title") == "Mae", "change")
        # What Chromium says when its window loses the focus.
        self.field("title").js("element.dispatchEvent(new Event('change', { bubbles: true }))")
        self.home.cli("set", APP, "title", "Zoe")
        self.tab.until(lambda: self.tab.value("title") == "Zoe", "next change")
        self.leave()
        self.idle()
        self.assertEqual(self.tab.message("title"), "")
        self.assertIn('title = "Zoe"', self.home.text())

    def test_a_change_elsewhere_in_the_file_hinders_nobody(self):
        self.into("size", "input[role=spinbutton]")
        self.tab.select_all()
        self.tab.type("52")
        self.home.cli("set", APP, "opacity", "0.5")
        self.tab.keys(Keys.ENTER)
        self.wait_for_text("size = 52", "opacity = 0.5")
        self.tab.until(lambda: self.tab.message("size") == "", "no message")

    def test_keys_that_step_through_choices_store_the_last_one(self):
        for key, way in [("language", "select"), ("theme", "input:checked")]:
            with self.subTest(key):
                before = self.entries()
                self.field(key, way).js("element.focus()")
                self.tab.type(Keys.ARROW_DOWN if key == "language" else Keys.ARROW_LEFT, Keys.ARROW_DOWN if key == "language" else Keys.ARROW_LEFT)
                self.wait_for_text('language = "fr"' if key == "language" else 'theme = "light"')
                self.tab.rest()
                self.assertEqual(self.entries(), before + 1)
                self.assertEqual(self.tab.focused(), key)

    def test_a_slider_is_moved_in_round_steps_and_stored_after_a_pause(self):
        self.field("opacity", "input[type=range]").js("element.focus()")
        self.tab.type(Keys.ARROW_LEFT * 3)
        self.wait_for_text("opacity = 0.94")
        self.tab.rest()
        self.assertEqual(self.entries(), 1)
        self.tab.point(self.field("opacity", "input[type=range]"), x=0.5)
        self.wait_for_text("opacity = 0.6\n")
        self.assertEqual(self.entries(), 2)

    def test_a_wheel_scrolls_and_changes_no_number(self):
        for key in ["size", "wait"]:
            with self.subTest(key):
                self.into(key, "input[role=spinbutton]")
                box = self.field(key, "input[role=spinbutton]").js("const box = element.getBoundingClientRect(); return [Math.round(box.x + 20), Math.round(box.y + 10)]")
                before = self.tab.js("return document.querySelector('#settings').scrollTop")
                ActionChains(self.tab.driver).scroll_from_origin(ScrollOrigin.from_viewport(*box), 0, 60).perform()
                self.tab.until(lambda: self.tab.js("return document.querySelector('#settings').scrollTop") > before, "list that scrolls")
                self.idle()
                self.assertEqual(self.tab.value(key, "input[role=spinbutton]"), "12" if key == "size" else "")
        self.assertEqual(self.home.text(), TEXT)

    def test_an_emptied_field_takes_the_value_out(self):
        self.home.write(self.home.file, 'size = 20 # points\nname = "Ada"\ntitle = "x"\n')
        self.tab.until(lambda: self.tab.value("name") == "Ada", "text")
        for key, rest in [("size", 'name = "Ada"\ntitle = "x"\n'), ("name", 'title = "x"\n'), ("title", 'title = ""\n')]:
            with self.subTest(key):
                self.into(key, "input:not([type=range])")
                self.tab.select_all()
                self.tab.keys(Keys.BACKSPACE)
                self.tab.keys(Keys.ENTER)
                self.tab.until(lambda: self.home.text() == rest, f"file {rest!r}")
                self.tab.rest()
                self.assertEqual(self.tab.message(key), "")

    def test_the_unit_of_a_duration_is_chosen_before_or_after_the_number(self):
        self.into("wait", "input")
        self.tab.type("5", Keys.TAB, Keys.ARROW_UP)
        self.idle()
        self.assertNotIn("wait", self.home.text())
        self.leave()
        self.wait_for_text('wait = "5m"')
        self.assertEqual(self.entries(), 1)


class TextTest(HandsTest):
    def test_a_text_gets_several_lines(self):
        self.into("title", "input")
        self.tab.keys(Keys.END)
        ActionChains(self.tab.driver).key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()
        self.tab.type("two", Keys.ENTER, "three")
        self.assertEqual(self.tab.value("title"), "Notes\ntwo\nthree")
        self.assertEqual(self.home.text(), TEXT)
        ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
        self.tab.until(lambda: read(self.home, "title") == "Notes\ntwo\nthree", "text of three lines")
        self.tab.rest()
        self.assertEqual(self.tab.focused(), "title")

    def test_the_button_for_another_line_goes_on_from_what_was_just_typed(self):
        self.into("title", "input")
        self.tab.select_all()
        # What is typed is what is stored, so that leaving the field would give it up.
        self.tab.type("Notes")
        self.tab.point(self.tab.row("title", ".text-box button"))
        self.tab.type("two")
        self.assertEqual(self.tab.value("title"), "Notes\ntwo")
        self.assertFalse([line for line in self.tab.log() if "Uncaught" in line])
        ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
        self.tab.until(lambda: read(self.home, "title") == "Notes\ntwo", "both lines")

    def test_line_breaks_that_another_makes_stay(self):
        self.home.cli("set", APP, "title", "line1\nline2")
        self.tab.until(lambda: self.tab.value("title") == "line1\nline2", "two lines")
        self.into("title")
        ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys(Keys.END).key_up(Keys.CONTROL).perform()
        self.tab.type("!")
        self.leave()
        self.tab.until(lambda: read(self.home, "title") == "line1\nline2!", "both lines")
        self.home.cli("set", APP, "title", "one")
        self.tab.until(lambda: self.field("title").js("return element.tagName + element.value") == "INPUTone", "one line")

    def test_keys_of_an_input_method_store_nothing(self):
        composing = "element.dispatchEvent(new KeyboardEvent('keydown', { key: given[0], isComposing: true, bubbles: true, cancelable: true }))"
        self.into("title")
        self.tab.select_all()
        self.tab.type("Lin")
        for key in ["Enter", "Escape"]:
            self.field("title").js(composing, key)
        self.into("words", ".adder input")
        self.tab.type("x")
        self.assertIn('title = "Lin"', self.wait_for_text('"Lin"'))
        self.field("words", ".adder input").js(composing, "Enter")
        self.into("title")
        self.tab.type(Keys.END, "A")
        self.field("title").js(composing, "Enter")
        self.idle()
        self.assertEqual(self.home.text(), TEXT.replace("Notes", "Lin"))
        self.assertEqual(self.tab.value("title"), "LinA")

    def test_a_text_with_line_breaks_is_pasted(self):
        self.into("title")
        self.tab.select_all()
        self.field("title").paste("a\r\nb")
        self.leave()
        self.tab.until(lambda: read(self.home, "title") == "a\nb", "both lines")

    def test_a_key_of_several_lines_is_pasted_as_a_secret(self):
        self.into("token")
        self.field("token").paste("-----BEGIN\nkey\n")
        self.assertEqual(self.tab.js("return getComputedStyle(document.activeElement).webkitTextSecurity"), "disc")
        self.tab.point(self.tab.row("token", "button[type=submit]"))
        self.tab.until(lambda: "BEGIN" in self.home.text(), "secret")
        self.assertEqual(tomllib.loads(self.home.text())["token"], "-----BEGIN\nkey\n")
        self.tab.until(lambda: self.field("token").js("return element.tagName + element.value") == "INPUT", "empty field")

    def test_a_carriage_return_stays(self):
        self.home.cli("set", APP, "title", "a\r\nb", "--type", "string")
        self.tab.until(lambda: self.tab.value("title") == '"a\\r\\nb"', "text as TOML")

    def test_any_value_is_typed_as_toml(self):
        self.into("shape")
        self.tab.type("{ a = 1 }")
        ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()
        self.wait_for_text("a = 1")
        self.assertEqual(read(self.home, "shape"), {"a": 1})

    def test_a_switch_says_what_was_chosen_while_it_is_stored(self):
        self.tab.row("flag").wait()
        self.hold("options?.method === 'POST'")
        self.tab.point(self.field("flag"))
        self.tab.until(lambda: self.tab.js("return document.querySelector('[data-key=flag] .row-message').textContent") == "Storing…", "word")
        self.assertEqual(self.tab.js("return document.querySelector('[data-key=flag] .switch-text').textContent"), "On")
        self.let_go()
        self.wait_for_text("flag = true")
        self.tab.until(lambda: self.tab.message("flag") == "", "end")


class ListTest(HandsTest):
    def order(self, key):
        return self.tab.js("return [...document.querySelectorAll(`[data-key='${arguments[0]}'] .item :is(input, select, textarea)`)].map((input) => input.value)", key)

    def test_tab_and_enter_in_an_element_keep_their_place(self):
        self.into("columns", ".item:nth-child(2) input")
        self.tab.select_all()
        self.tab.type("81", Keys.ENTER)
        self.wait_for_text("[ 72, 81, 100 ]")
        self.tab.rest()
        self.assertEqual(self.tab.focused(), "Element 2")
        self.tab.select_all()
        self.tab.type("82", Keys.TAB)
        self.wait_for_text("[ 72, 82, 100 ]")
        self.tab.rest()
        self.assertEqual(self.tab.focused(), "Move element 2 up")

    def test_a_refused_element_stays_as_it_was_typed(self):
        self.into("columns", ".item:nth-child(2) input")
        self.tab.select_all()
        self.tab.type("9999", Keys.ENTER)
        self.message_has("columns", "999")
        self.assertEqual(self.order("columns"), ["72", "9999", "100"])
        self.assertEqual(self.tab.focused(), "Element 2")
        self.tab.keys(Keys.ESCAPE)
        self.assertEqual(self.order("columns"), ["72", "80", "100"])
        self.assertEqual(self.tab.message("columns"), "")
        self.assertEqual(self.home.text(), TEXT)

    def test_a_refused_new_element_stays_as_it_was_typed(self):
        self.into("columns", ".adder input")
        self.tab.type("bogus", Keys.ENTER)
        self.message_has("columns", "'bogus' is not an integer")
        self.assertEqual(self.tab.row("columns", ".adder input").get_property("value"), "bogus")
        self.assertEqual(self.tab.focused(), "New element")
        self.assertEqual(self.order("columns"), ["72", "80", "100"])

    def test_elements_are_removed_one_after_the_other(self):
        self.tab.point(self.tab.row("columns", ".item:nth-child(2) button:last-child"))
        self.wait_for_text("[ 72, 100 ]")
        self.tab.rest()
        self.assertEqual(self.tab.focused(), "Remove element 2: 100")
        self.tab.keys(Keys.ENTER)
        self.tab.until(lambda: read(self.home, "columns") == [72], "one element")
        self.tab.rest()
        self.tab.keys(Keys.ENTER)
        self.tab.until(lambda: self.order("columns") == [], "no element")
        self.tab.rest()
        self.assertEqual(self.tab.focused(), "New element")

    def test_the_elements_of_a_list_with_choices_are_chosen(self):
        self.field("colours", ".adder select").js("element.focus()")
        self.tab.type(Keys.ARROW_DOWN * 2)
        self.tab.point(self.tab.row("colours", ".adder button"))
        self.wait_for_text('["green"]')
        self.tab.until(lambda: self.order("colours") == ["green"], "first colour")
        self.field("colours", ".item select").js("element.focus()")
        self.tab.type(Keys.ARROW_DOWN)
        self.tab.until(lambda: read(self.home, "colours") == ["blue"], "other colour")

    def test_an_element_is_not_lost_when_another_changes_the_list(self):
        self.into("words", ".item:nth-child(1) input")
        self.tab.select_all()
        self.tab.type("eins")
        self.home.cli("set", APP, "words", '["three"]')
        self.message_has("words", "Changed meanwhile")
        self.leave()
        self.idle()
        self.assertEqual(read(self.home, "words"), ["three"])
        self.assertEqual(self.order("words"), ["eins", "two"])
        self.tab.point(self.tab.row("words", ".row-message button:last-child"))
        self.tab.until(lambda: self.order("words") == ["three"], "their list")

    def test_what_is_typed_stays_with_its_element_when_others_get_or_lose_lines(self):
        for before, after in [(["a", "b", "c"], ["a1\nlong", "b", "c2"]), (["a\nlong", "b", "c"], ["a1", "b", "c\nlong"])]:
            with self.subTest(after=after):
                self.home.cli("set", APP, "words", json.dumps(before))
                self.tab.until(lambda: self.order("words") == before, "list")
                self.into("words", ".item:nth-child(2) input")
                self.tab.select_all()
                self.tab.type("mine")
                self.home.cli("set", APP, "words", json.dumps(after))
                self.tab.until(lambda: self.order("words") == [after[0], "mine", after[2]], "their elements and mine")
                self.assertEqual(self.tab.focused(), "Element 2")
                self.tab.keys(Keys.ENTER)
                self.tab.until(lambda: read(self.home, "words") == [after[0], "mine", after[2]], "stored list")
                self.tab.rest()


class NameTest(HandsTest):
    def test_a_record_that_is_there_is_not_replaced(self):
        self.into("servers", ".records-box > .adder input")
        self.tab.type("home", Keys.ENTER)
        self.message_has("servers", "There is a record 'home' already")
        self.assertEqual(self.tab.row("servers", ".records-box > .adder input").get_property("value"), "home")
        self.idle()
        self.assertEqual(self.home.text(), TEXT)

    def test_a_field_that_is_there_is_not_replaced(self):
        self.into("bindings", ".adder input")
        self.tab.type("md", Keys.ENTER)
        self.message_has("bindings", "There is a field 'md' already")
        self.idle()
        self.assertEqual(self.home.text(), TEXT)

    def test_a_name_that_is_not_added_is_a_draft(self):
        for key, selector in [("servers", ".records-box > .adder input"), ("columns", ".adder input")]:
            self.into(key, selector)
            self.tab.type("7")
            self.leave()
            self.assertEqual(self.tab.row(key, selector).get_property("value"), "7")
            self.assertTrue(self.asks_before_leaving())
            self.into(key, selector)
            self.tab.keys(Keys.END, Keys.BACKSPACE)
            self.assertFalse(self.asks_before_leaving())
            self.tab.type("7", Keys.ESCAPE)
            self.assertEqual(self.tab.row(key, selector).get_property("value"), "")
            self.assertFalse(self.asks_before_leaving())

    def test_a_record_that_another_has_added_is_not_replaced(self):
        self.into("servers", ".records-box > .adder input")
        self.tab.type("work")
        self.hold('options?.method === "GET"')
        self.home.cli("set", APP, "servers.work.url", "https://work.example.org/")
        self.tab.until(lambda: self.tab.js("return window.held.length > 0"), "reading that waits")
        self.tab.keys(Keys.ENTER)
        self.let_go_until("servers", "already")
        self.assertIn("https://work.example.org/", self.home.text())

    def test_a_new_record_gets_the_focus_and_a_removed_one_gives_it_on(self):
        self.into("servers", ".records-box > .adder input")
        self.tab.type("work", Keys.ENTER)
        self.wait_for_text("[servers.work]")
        self.tab.until(lambda: self.tab.js("return document.activeElement.closest('.record')?.getAttribute('aria-label')") == "work", "focus in the new record")
        self.tab.menu("home", "Remove home")
        self.wait_for_text("[servers.work]", absent=["servers.home"])
        self.tab.until(lambda: self.tab.js("return document.activeElement.closest('.record')?.getAttribute('aria-label')") == "work", "focus in the next record")

    def test_a_field_that_is_only_a_default_says_so(self):
        self.home.write(self.home.file, '[servers.home]\nurl = "https://nas.example.net/"\n')
        self.tab.until(lambda: "default" in self.tab.row("servers", ".record .member:nth-child(2)").text, "word")
        self.assertFalse(self.tab.one("[aria-label='Menu of timeout']").is_displayed())
        self.assertTrue(self.tab.one("[aria-label='Menu of url']").is_displayed())


class FocusTest(HandsTest):
    def test_a_reset_leaves_the_focus_in_its_row(self):
        self.tab.point(self.tab.row("title", ".row-tools button[aria-label^=Reset]"))
        self.wait_for_text("columns", absent=["title"])
        self.tab.until(lambda: not self.tab.row("title", ".row-tools button:first-child").is_displayed(), "row without a value")
        self.tab.rest()
        self.assertEqual(self.tab.focused(), "title")
        self.tab.keys("u")
        self.wait_for_text("title")

    def test_a_click_into_the_text_places_the_cursor_and_nothing_typed_is_a_shortcut(self):
        self.tab.until(lambda: self.tab.one("#file-text").get_property("value") == TEXT, "text")
        # The second line begins 20 pixels below the first one.
        area = self.tab.one("#file-text")
        height = area.js("return element.getBoundingClientRect().height")
        self.tab.point(area, x=0.9, y=(8 + 30) / height)
        self.tab.type("true")
        self.tab.until(lambda: area.get_property("value") == TEXT.replace("# of mine", "# of minetrue"), "typed text")
        self.assertEqual(self.tab.count(".row.selected[data-key=title]"), 1)
        self.idle()
        self.assertEqual(self.home.text(), TEXT)
        self.assertEqual(self.entries(), 0)

    def test_the_cursor_in_the_text_stays_between_its_letters(self):
        area = self.tab.one("#file-text")
        self.tab.until(lambda: area.get_property("value") == TEXT, "text")
        area.js("const at = element.value.indexOf('markdown') + 4; element.focus(); element.setSelectionRange(at, at)")
        for before, after, where in [("Notes", "A longer title", "above"), ("45s", "60s", "below")]:
            self.home.write(self.home.file, self.home.text().replace(before, after))
            self.tab.until(lambda: after in area.get_property("value"), f"change {where}")
        self.tab.type("X")
        self.assertIn('md = "markXdown"', area.get_property("value"))

    def test_what_was_just_typed_is_undone_from_the_bar(self):
        self.into("title")
        self.tab.type("x")
        self.tab.point(self.tab.one("#undo"))
        self.tab.until(lambda: self.entries() == 2, "change and undo")
        self.tab.rest()
        self.assertEqual(self.home.text(), TEXT)
        self.assertEqual(self.tab.one("#trial").text, "")
        self.assertEqual(self.tab.value("title"), "Notes")

    def test_what_is_typed_goes_on_when_settings_come_and_go(self):
        self.into("title")
        self.tab.type("x")
        self.home.write(self.home.file, "other = 1\n" + TEXT)
        self.tab.until(lambda: self.tab.one("#file-text").get_property("value").startswith("other"), "another setting")
        self.tab.type("rut")
        self.assertIn("xrut", self.tab.value("title"))
        self.idle()
        self.assertEqual(self.home.text(), "other = 1\n" + TEXT)

    def test_what_is_typed_beside_the_settings_goes_on_when_settings_come_and_go(self):
        for place, text in [("#file-text", "other = 1\n" + TEXT), ("#search", TEXT)]:
            with self.subTest(place):
                self.tab.point(self.tab.one(place))
                self.home.write(self.home.file, text)
                self.tab.until(lambda: self.tab.one("#file-text").get_property("value") == text, "change")
                self.tab.rest()
                self.tab.type("rut")
                self.assertIn("rut", self.tab.one(place).get_property("value"))
                self.idle()
                self.assertEqual(self.home.text(), text)
                if place == "#file-text":
                    self.tab.click("#file button", "Discard")


class DraftTest(HandsTest):
    """What is typed into the text of a file belongs to that file."""

    other = "org.b.app"
    mine = "# DRAFT OF A\n" + TEXT

    def prepare(self):
        self.theirs = self.home.path / ".config" / self.other / "settings.toml"
        self.home.write(self.theirs, "# precious\nb = 2\n")
        self.profile = self.home.file.parent / "profiles/work.toml"
        self.home.write(self.profile, "size = 33\n")

    def draft(self):
        self.tab.point(self.tab.one("#file-text"), x=0.9, y=0.01)
        ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys(Keys.HOME).key_up(Keys.CONTROL).perform()
        self.tab.type("# DRAFT OF A", Keys.ENTER, pause=0.01)
        self.tab.until(lambda: self.shown() == self.mine, "draft")

    def shown(self):
        return self.tab.one("#file-text").get_property("value")

    def asked(self):
        self.tab.until(lambda: "the text of the file" in self.tab.one("dialog[open]").text, "question")

    def files(self):
        return self.home.text(), self.theirs.read_text(), self.profile.read_text()

    def test_a_draft_is_not_taken_along_to_another_app(self):
        before = self.files()
        self.draft()
        self.tab.point(self.tab.one("#all-apps"))
        self.asked()
        self.tab.click("dialog[open] button", "Keep editing")
        self.tab.until(lambda: self.tab.count("dialog") == 0, "end of the question")
        self.assertEqual(self.shown(), self.mine)
        self.tab.point(self.tab.one("#all-apps"))
        self.asked()
        self.tab.click("dialog[open] button", "Discard")
        self.tab.click(".app", self.other)
        self.tab.until(lambda: self.shown() == "# precious\nb = 2\n", "text of the other app")
        self.assertEqual(self.tab.count(".file.draft"), 0)
        self.assertEqual(self.files(), before)

    def test_a_draft_is_saved_into_its_file_before_another_app_is_shown(self):
        self.draft()
        self.tab.point(self.tab.one("#all-apps"))
        self.asked()
        self.tab.click("dialog[open] button", "Save the text")
        self.tab.click(".app", self.other)
        self.tab.until(lambda: self.shown() == "# precious\nb = 2\n", "text of the other app")
        self.assertEqual(self.files(), (self.mine, "# precious\nb = 2\n", "size = 33\n"))

    def test_a_draft_is_not_taken_along_to_a_profile(self):
        before = self.files()
        self.draft()
        self.tab.one("#profile").choose("work")
        self.asked()
        self.tab.click("dialog[open] button", "Keep editing")
        self.tab.until(lambda: self.tab.one("#profile").get_property("value") == "", "no profile")
        self.assertEqual(self.shown(), self.mine)
        self.tab.one("#profile").choose("work")
        self.asked()
        self.tab.click("dialog[open] button", "Discard")
        self.tab.until(lambda: self.shown() == "size = 33\n", "text of the profile")
        self.assertEqual(self.files(), before)

    def test_a_draft_stays_with_its_file_when_another_program_chooses_a_profile(self):
        before = self.files()
        self.draft()
        self.home.cli("profile", APP, "use", "work")
        self.tab.until(lambda: "This is a text for" in self.tab.one("#file-state").text, "message")
        self.assertEqual(self.shown(), self.mine)
        self.tab.one("#file-text").send_keys(Keys.CONTROL, "s")
        self.idle()
        self.assertEqual(self.files(), before)
        self.tab.one("#layer").choose("Your file, below the profile")
        self.tab.until(lambda: "This is a text for" not in self.tab.one("#file-state").text, "end of the message")
        self.tab.one("#file-text").send_keys(Keys.CONTROL, "s")
        self.tab.until(lambda: self.files() == (self.mine, *before[1:]), "saved text")

    def test_a_page_with_a_draft_does_not_end_without_a_question(self):
        self.draft()
        self.tab.tool("#stop")
        self.asked()
        self.tab.click("dialog[open] button", "Keep editing")
        self.assertIsNone(self.server.process.poll())
        self.assertTrue(self.asks_before_leaving())
        self.tab.click(".file-head button", "Discard")
        self.assertFalse(self.asks_before_leaving())

    def test_what_was_refused_is_not_taken_along_to_another_file(self):
        self.into("name")
        self.tab.type("ada", Keys.ENTER)
        self.message_has("name", "[A-Z]")
        self.tab.one("#layer").choose("Profile work")
        self.tab.until(lambda: "'Name'" in self.tab.one("dialog[open]").text, "question")
        self.tab.click("dialog[open] button", "Discard")
        self.tab.until(lambda: self.shown() == "size = 33\n", "text of the profile")
        self.assertEqual(self.tab.value("name"), "")


    def test_what_is_typed_into_a_setting_is_not_stored_in_another_file_unasked(self):
        for key, selector, typed, stored in [("title", "input", "mine", 'title = "mine"'), ("words", ".item:nth-child(2) input", "mine", '"mine"'),
                                             ("servers", ".member input", "mine", 'url = "mine"'), ("token", "input", "s3cret", 'token = "s3cret"')]:
            with self.subTest(key):
                # What both files have alike could be taken for the same value.
                self.home.write(self.profile, TEXT)
                self.home.cli("profile", APP, "use", "--none")
                self.tab.until(lambda: self.tab.one("#profile").get_property("value") == "" and self.shown() == TEXT, "own file")
                self.into(key, selector)
                self.tab.select_all()
                self.tab.type(typed)
                self.home.cli("profile", APP, "use", "work")
                self.message_has(key, "You edit …/profiles/work.toml now")
                self.leave()
                self.idle()
                self.assertEqual((self.home.text(), self.profile.read_text()), (TEXT, TEXT))
                self.message_has(key, "You edit")
                self.tab.click(f".row[data-key={key}] .row-message button", "Store mine")
                self.tab.until(lambda: stored in self.profile.read_text(), "text of the profile")
                self.tab.rest()
                self.assertEqual(self.home.text(), TEXT)
                self.assertEqual(self.tab.message(key), "")

    def test_a_name_that_is_being_changed_is_asked_about(self):
        self.tab.menu("home", "Rename home")
        self.tab.one("[aria-label='New name of home']").type("house", key="")
        self.assertTrue(self.asks_before_leaving())
        self.tab.tool("#all-apps")
        self.tab.until(lambda: "'Servers'" in self.tab.one("dialog[open]").text, "question")
        self.tab.click("dialog[open] button", "Discard")
        self.tab.one(".app").wait()
        self.assertEqual(self.home.text(), TEXT)

    def test_what_is_typed_stays_in_hand_while_the_file_does_not_parse(self):
        self.into("title")
        self.tab.select_all()
        self.tab.type("mi")
        self.home.write(self.home.file, TEXT + "[broken\n")
        self.tab.until(lambda: "does not parse" in self.tab.one("#notices").text, "notice")
        self.tab.type("ne")
        self.assertEqual(self.tab.focused(), "title")
        self.message_has("title", "parse")
        self.home.write(self.home.file, TEXT)
        self.tab.until(lambda: self.tab.message("title") == "", "end of the message")
        self.assertEqual(self.tab.value("title"), "mine")
        self.tab.keys(Keys.ENTER)
        self.wait_for_text('title = "mine"')

    def test_what_the_search_hides_is_asked_about(self):
        self.into("name")
        self.tab.type("ada", Keys.ENTER)
        self.message_has("name", "[A-Z]")
        self.into("token")
        self.tab.type("s3cret")
        self.tab.one("#search").type("columns", key="")
        self.tab.until(lambda: self.tab.count(".row") == 1, "one setting")
        self.assertTrue(self.asks_before_leaving())
        for leave in ["#all-apps", "#stop"]:
            self.tab.tool(leave)
            self.tab.until(lambda: all(f"'{name}'" in self.tab.one("dialog[open]").text for name in ["Name", "Token"]), "question")
            self.tab.click("dialog[open] button", "Keep editing")
        self.tab.one("#search").js("element.value = ''; element.dispatchEvent(new Event('input'))")
        self.tab.until(lambda: self.tab.value("name") == "ada" and self.tab.value("token") == "s3cret", "what was typed")
        self.tab.one("#search").type("columns", key="")
        self.tab.point(self.tab.one("#all-apps"))
        self.tab.click("dialog[open] button", "Discard")
        self.tab.one(".app").wait()
        self.assertFalse(self.asks_before_leaving())
        self.assertEqual(self.home.text(), TEXT)


class TwiceTest(HandsTest):
    """What is done twice, as by a double click, is done once."""

    def twice(self, what, *script):
        """Does something twice before its first request is answered."""
        self.tab.row("flag").wait()
        self.hold(what)
        self.tab.js(*script)
        self.tab.until(lambda: self.tab.js("return window.held.length > 0"), "request")
        self.tab.until(lambda: self.let_go() or not self.tab.js("return document.documentElement.hasAttribute('data-busy')"), "answers")
        self.tab.rest()
        self.assertEqual(self.tab.count("dialog"), 0)

    def test_a_text_is_saved_once(self):
        self.tab.one("#file-text").js("element.value = `# New.\\n${element.value}`; element.dispatchEvent(new Event('input'))")
        self.twice('options?.method === "PUT"', "const save = document.querySelector('.file-head .primary'); save.click(); save.click()")
        self.assertEqual(self.home.text(), "# New.\n" + TEXT)

    def test_a_record_is_added_and_renamed_once(self):
        self.twice('options?.method === "POST"', """const form = document.querySelector('.records-box > .adder');
            form.querySelector('input').value = 'work'; form.requestSubmit(); form.requestSubmit()""")
        self.wait_for_text("[servers.work]")
        self.assertEqual(self.tab.message("servers"), "")
        self.tab.menu("work", "Rename work")
        self.twice('options?.method === "POST"', """const input = document.querySelector("[aria-label='New name of work']");
            input.value = 'job'; input.form.requestSubmit(); input.form.requestSubmit()""")
        self.wait_for_text("[servers.job]")
        self.assertEqual(self.tab.message("servers"), "")


class WaitTest(HandsTest):
    """What is not there yet cannot be used, and says so."""

    def hold_what_dialogs_need(self):
        self.tab.row("flag").wait()
        self.hold("/drop-in|history/.test(path)")

    def test_nothing_is_copied_before_it_is_there(self):
        self.hold_what_dialogs_need()
        self.tab.js("document.querySelector('#copy').click()")
        self.assertTrue(self.tab.js("return document.querySelector('dialog .primary').disabled"))
        self.let_go()
        self.tab.until(lambda: "settings-cli set" in self.tab.one(".copy-text").get_property("value"), "commands")
        self.assertTrue(self.tab.one("dialog .primary").is_enabled())

    def test_former_texts_are_shown_at_once(self):
        self.hold_what_dialogs_need()
        self.tab.js("document.querySelector('#past').click()")
        self.assertIn("Loading", self.tab.js("return document.querySelector('dialog[open]').textContent"))
        self.let_go()
        self.tab.until(lambda: "no entry yet" in self.tab.one("dialog").text, "note")
