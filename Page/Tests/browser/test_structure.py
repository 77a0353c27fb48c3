"""Records, findings with fixes, history and undo, trials, migrations and profiles."""

import json

from harness import APP, ActionChains, Keys, PageTest, read

SCHEMA = '''
app = "org.example.editor"
schema-version = 1

[keys.theme]
type = "string"
default = "light"
formerly = ["colour"]
[keys.size]
type = "integer"
maximum = 72
default = 12
[keys.servers]
type = "array"
elements = { type = "table", fields = { host = { type = "string" } } }
[keys.places]
type = "records"
fields = { region = { type = "string", choices = ["eu", "us", "asia"] }, port = { type = "integer", minimum = 1, maximum = 65535 }, secure = { type = "boolean", default = true } }
'''

TEXT = '''# Mine.
theme = "dark"  # eyes
size = 14

# At home.
[places.home]
region = "eu"   # near
port = 8080

[places."at work"]
region = "us"
port = 443
'''


class RecordTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def record(self, name, within=""):
        return self.tab.one(f".record[aria-label='{name}'] {within}")

    def test_a_field_of_a_record_is_changed(self):
        self.record("home", "input[role=spinbutton]").type("9090")
        self.assert_only_changed(TEXT, self.wait_for_text("9090"), "8080", "9090")

    def test_a_field_out_of_its_range_is_refused(self):
        self.record("home", "input[role=spinbutton]").type("99999")
        self.tab.until(lambda: "65535" in self.tab.message("places"), "message")
        self.assertEqual(self.home.text(), TEXT)

    def test_a_record_is_renamed_with_its_comments(self):
        self.tab.menu("home", "Rename home")
        self.tab.one("[aria-label='New name of home']").type("house")
        self.assertEqual(self.wait_for_text("[places.house]").replace("house", "home"), TEXT)
        self.tab.until(lambda: self.tab.count(".record[aria-label=house]") == 1 and self.tab.count(".record[aria-label=home]") == 0, "record")
        self.tab.until(lambda: self.tab.focused() == "Menu of house", "focus")

    def test_a_record_whose_new_name_is_taken_back_shows_its_name(self):
        self.tab.menu("home", "Rename home")
        self.tab.one("[aria-label='New name of home']").type("house")
        self.wait_for_text("[places.house]")
        self.tab.tool("#undo")
        self.wait_for_text("[places.home]")
        self.assertEqual(self.record("home", ".record-name").text, "home")

    def test_a_record_is_not_renamed_to_one_that_is_there(self):
        self.tab.menu("home", "Rename home")
        self.tab.one("[aria-label='New name of home']").type("at work")
        self.tab.until(lambda: self.tab.message("places"), "message")
        self.assertEqual(self.home.text(), TEXT)

    def test_a_record_is_added_and_removed(self):
        self.tab.row("places", ".records-box > .adder input").type("the sea.side")
        self.assertTrue(self.record("the sea.side").is_displayed())
        self.assertIn('"the sea.side"', self.home.text())
        self.tab.menu("at work", "Remove at work")
        self.wait_for_text('[places.home]', absent=["at work"])


class FindingTest(PageTest):
    schema = SCHEMA
    text = 'thame = "dark"\nsize = 100\ncolour = "red"\n'

    def fix(self, label):
        self.tab.click(".fixes button", label)

    def test_an_invalid_value_is_reset(self):
        self.fix("Reset it")
        self.wait_for_text("thame", absent=["size"])

    def test_an_unknown_key_is_removed(self):
        self.fix("Remove it")
        self.wait_for_text("size", absent=["thame"])

    def test_what_the_app_does_not_know_gets_another_value(self):
        self.tab.row("thame", "input").type("darker", key="")
        self.tab.rest()
        self.assertEqual(self.tab.message("thame"), "")
        self.tab.keys(Keys.ENTER)
        self.wait_for_text('thame = "darker"')
        self.home.write(self.home.file, f"{self.text}\n[places.home]\nregoin = 1\n")
        self.tab.row("places", "[aria-label=home] .member:last-child input").type("2")
        self.wait_for_text("regoin = 2")
        self.assertEqual(self.tab.message("places"), "")

    def test_a_typo_in_a_table_that_is_known_is_refused(self):
        self.home.write(self.home.file, '[[servers]]\nhost = "a"\n')
        field = lambda: self.tab.row("servers", "textarea")
        self.tab.until(lambda: "host" in field().get_property("value"), "value")
        field().type('[{ hots = "b" }]', Keys.CONTROL + Keys.ENTER)
        self.tab.until(lambda: "hots" in self.tab.message("servers"), "message")
        self.assertEqual(self.home.text(), '[[servers]]\nhost = "a"\n')

    def test_a_former_name_is_renamed(self):
        self.fix("Rename to theme")
        self.wait_for_text("size")
        self.tab.until(lambda: "colour" not in self.home.text() or self.tab.message("theme"), "answer")


class HistoryTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def change(self, value):
        self.tab.row("size", "input[role=spinbutton]").type(value)
        self.wait_for_text(f"size = {value}")

    def test_a_change_is_undone_at_its_value(self):
        self.change("20")
        self.tab.press("size", ".more")
        self.tab.press("size", ".past-head [aria-label=Undo]")
        self.tab.until(lambda: self.home.text() == TEXT, "earlier text")
        self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "14", "earlier value")

    def test_two_steps_are_undone_and_redone_with_the_keys_of_a_setting(self):
        for value in ["20", "30"]:
            self.change(value)
        self.tab.row("size").js("element.focus()")
        for key, value in [("u", "20"), ("u", "14"), ("U", "20"), ("U", "30")]:
            self.tab.keys(key)
            self.wait_for_text(f"size = {value}")
            self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == value, "value")
        self.tab.keys("U")
        self.tab.until(lambda: "redo" in self.tab.message("size"), "message that there is nothing more")
        self.assertEqual(self.tab.focused(), "size")

    def test_a_history_that_is_late_does_not_replace_a_newer_one(self):
        self.tab.press("size", ".more")
        self.tab.rest()
        self.tab.js("""const send = fetch;
            window.fetch = async (path, options) => {
                const answer = await send(path, options);
                if (path.includes("/history") && !window.go) await new Promise((done) => { window.go = done; });
                return answer;
            };""")
        self.change("20")
        self.tab.until(lambda: self.tab.js("return Boolean(window.go)"), "first question")
        self.home.cli("set", APP, "size", "30")
        history = "return document.querySelector('[data-key=size] .history')?.textContent ?? ''"
        self.tab.until(lambda: "20 → 30" in self.tab.js(history), "newer history")
        self.tab.js("window.go()")
        self.tab.rest()
        self.assertIn("20 → 30", self.tab.js(history))

    def test_caps_lock_makes_no_redo_of_an_undo(self):
        for value in ["20", "30"]:
            self.change(value)
        press = "element.dispatchEvent(new KeyboardEvent('keydown', { key: given[0], shiftKey: given[1], ctrlKey: true, bubbles: true, cancelable: true }))"
        for key, shift, value in [("Z", False, "20"), ("Z", False, "14"), ("z", True, "20"), ("Z", True, "30"), ("z", False, "20")]:
            self.tab.row("size").js(press, key, shift)
            self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == value, "value")
            self.assertIn(f"size = {value}", self.home.text())

    def test_a_keyboard_without_latin_letters_has_the_shortcuts_at_their_places(self):
        press = "element.dispatchEvent(new KeyboardEvent('keydown', { key: given[0], code: given[1], ctrlKey: given[2], bubbles: true, cancelable: true }))"
        for value in ["20", "30"]:
            self.change(value)
        for key, code, ctrl, value in [("я", "KeyZ", True, "20"), ("г", "KeyU", False, "14")]:
            self.tab.row("size").js(press, key, code, ctrl)
            self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == value, "value")
        for key, text in [("ы", "one"), ("S", "two")]:
            self.tab.one("#file-text").js("element.focus(); element.setSelectionRange(0, 0); document.execCommand('insertText', false, given[0])", f"# {text}\n")
            self.tab.one("#file-text").js(press, key, "KeyS", True)
            self.wait_for_text(f"# {text}\n")

    def test_steps_back_that_follow_at_once_are_made_one_after_the_other(self):
        for value in ["20", "30", "40"]:
            self.change(value)
        press = "for (const key of given[0]) element.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey: key === 'U', ctrlKey: given[1], bubbles: true, cancelable: true }))"
        self.tab.row("size").js(press, "zz", True)
        self.wait_for_text("size = 20")
        self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "20", "value")
        self.tab.row("size").js("element.focus();" + press, "uU", False)
        self.tab.until(lambda: json.loads(self.home.cli("log", self.home.app, "--json"))[0]["reason"] == "redo", "steps")
        self.assertEqual(self.tab.value("size", "input[role=spinbutton]"), "20")
        self.assertEqual(self.tab.count("#trial .notice"), 0)

    def test_a_change_is_redone_beside_its_undo_where_there_is_one(self):
        self.change("20")
        self.tab.press("size", ".more")
        self.tab.until(lambda: self.tab.row("size", ".past-head [aria-label=Undo]").is_enabled(), "undo")
        self.tab.until(lambda: not self.tab.row("size", ".past-head [aria-label=Redo]").is_enabled(), "nothing to redo")
        self.tab.press("size", ".past-head [aria-label=Undo]")
        self.tab.until(lambda: self.tab.row("size", ".past-head [aria-label=Redo]").is_enabled(), "redo")
        self.tab.press("size", ".past-head [aria-label=Redo]")
        self.assert_only_changed(TEXT, self.wait_for_text("size = 20"), "size = 14", "size = 20")

    def test_the_last_change_of_the_file_is_undone_and_redone_from_the_bar_and_with_the_keys_that_people_know(self):
        self.change("20")
        self.tab.row("theme", "input").type("blue")
        changed = self.wait_for_text('theme = "blue"')
        self.tab.row("theme").js("element.focus()")
        for undo, redo in [(lambda: self.tab.click("#undo"), lambda: self.tab.click("#redo")), (lambda: self.control("z"), lambda: self.control("Z"))]:
            undo()
            self.wait_for_text('theme = "dark"', "size = 20")
            self.tab.until(lambda: self.tab.value("theme") == "dark", "earlier value")
            undo()
            self.tab.until(lambda: self.home.text() == TEXT, "earlier text")
            self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "14", "earlier value")
            redo()
            self.wait_for_text('theme = "dark"', "size = 20")
            self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "20", "value")
            redo()
            self.tab.until(lambda: self.home.text() == changed, "text")
            self.tab.until(lambda: self.tab.value("theme") == "blue", "value")
            self.tab.row("theme").js("element.focus()")
        self.control("Z")
        self.tab.until(lambda: "redo" in self.tab.one("#trial .notice").text, "message that there is nothing more")

    def control(self, key):
        actions = ActionChains(self.tab.driver).key_down(Keys.CONTROL)
        (actions.key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT) if key.isupper() else actions.send_keys(key)).key_up(Keys.CONTROL).perform()

    def test_the_renaming_of_a_record_is_undone(self):
        self.home.write(self.home.schema, SCHEMA.replace('fields = { region = { type = "string",', 'fields = { region = { required = true, type = "string",'))
        self.tab.menu("home", "Rename home")
        self.tab.one("[aria-label='New name of home']").type("house")
        self.wait_for_text("[places.house]")
        self.tab.until(lambda: self.tab.count(".record[aria-label=house]") == 1, "record")
        self.tab.row("places").js("element.focus()")
        self.tab.keys("u")
        self.tab.until(lambda: self.home.text() == TEXT, "earlier text")
        self.tab.until(lambda: self.tab.count(".record[aria-label=home]") == 1, "record")

    def test_the_comments_of_a_value_that_was_reset_come_back(self):
        text = TEXT.replace("size = 14\n", "# For my eyes.\nsize = 14   # points\n") + "\n[plugin]\nunknown = 1\n"
        self.home.write(self.home.file, text)
        self.tab.until(lambda: "For my eyes" in self.tab.one("#file-text").get_property("value"), "text")
        self.tab.row("size").js("element.focus()")
        self.tab.keys("r")
        self.wait_for_text("[plugin]", absent=["size ="])
        self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "12", "default")
        self.tab.row("size").js("element.focus()")
        self.tab.keys("u")
        self.tab.until(lambda: self.home.text() == text, "text with its comments")

    def test_an_older_value_is_used_again(self):
        for value in ["20", "30", "40"]:
            self.change(value)
        self.tab.press("size", ".more")
        self.tab.click(".history button[aria-label='Use 20 again']")
        self.assert_only_changed(TEXT, self.wait_for_text("size = 20"), "size = 14", "size = 20")

    def test_the_layers_say_what_hides_what(self):
        self.home.write(self.home.system, "size = 9\n")
        self.tab.press("size", ".more")
        self.tab.until(lambda: "administrators" in self.tab.row("size", ".layers").text, "layer")
        text = self.tab.row("size", ".layers").text
        self.assertIn(f"{self.home.file}:3", text)
        self.assertIn(f"{self.home.system}:1", text)
        self.assertIn("hidden by a higher layer", text)

    def test_the_end_of_a_trial_may_be_heard_before_its_beginning(self):
        self.tab.js("return import('/model.js').then((model) => { model.endTrial('x'); model.startTrial('x', 15, ['size']); })")
        self.assertEqual(self.tab.count(".notice.trial"), 0)

    def test_a_trial_is_kept_or_taken_back(self):
        # Only the buttons end it: it lasts as long as the server allows, and not the 15 seconds that may pass here.
        self.tab.js("""const send = fetch;
            window.fetch = (path, options) => send(path, options?.body ? { ...options, body: options.body.replace('"tryFor":15', '"tryFor":300') } : options);""")
        for label, value in [("Take it back now", 14), ("Keep it", 50)]:
            with self.subTest(label):
                self.tab.click("#try")
                self.change("50")
                self.tab.until(lambda: self.tab.one("#try").get_attribute("aria-pressed") == "false", "end of trying")
                self.tab.click(".notice.trial button", label)
                self.tab.until(lambda: self.tab.count(".notice.trial") == 0, "end of the trial")
                self.tab.until(lambda: read(self.home, "size") == value, "value")


class AgainTest(PageTest):
    """JSON has no dates, one type of numbers, and JavaScript none of 64 bits."""

    schema = SCHEMA + '''
[keys.days]
type = "any"
[keys.ratio]
type = "any"
[keys.ratios]
type = "array"
elements = { type = "float" }
[keys.big]
type = "integer"
'''
    text = "# Mine.\n"

    def test_an_older_value_is_used_again_as_it_was(self):
        for key, values in [("days", ["[2026-01-01]", "[1]", "[2]"]), ("ratio", ["2.0", "1", "3"]), ("ratios", ["[1.0, 2.5]", "[3.0]", "[4.0]"]), ("big", ["9007199254740993", "1", "2"])]:
            with self.subTest(key):
                for value in values:
                    self.home.cli("set", APP, key, value, "--type", "toml")
                self.tab.press(key, ".more")
                self.tab.row(key, ".history li:nth-child(3) button").click()
                self.wait_for_text(f"{key} = {values[0]}\n")


class MigrationTest(PageTest):
    schema = SCHEMA + '''
[[migrations]]
version = 2
name = "name the colour"
steps = [{ rename = "paint", to = "theme" }]
'''
    text = '# Mine.\npaint = "red"  # the house\n'

    def test_a_pending_migration_is_shown_and_run(self):
        self.assertNotIn("name the colour", self.tab.one(".notice.info").text)
        opened = self.tab.one(".notice.info").js("element.querySelector('details').open = true; return seenText(element)")
        self.assertIn('-paint = "red"', opened)
        self.assertIn("name the colour", opened)
        self.assertEqual(self.tab.value("theme"), "red")
        self.tab.click(".notice button", "Migrate now")
        self.wait_for_text('theme = "red"  # the house', "settings-version = 2")
        self.tab.until(lambda: self.tab.count(".notice.info") == 0, "end of the notice")


class ProfileTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def prepare(self):
        self.home.cli("profile", APP, "new", "work")
        self.home.cli("set", APP, "size", "33", "--layer", "profile:work")

    def test_a_profile_is_chosen_and_written(self):
        self.tab.one("#profile").choose("work")
        self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "33", "value of the profile")
        self.tab.row("theme", "input").type("blue")
        profile = self.home.file.parent / "profiles/work.toml"
        self.tab.until(lambda: 'theme = "blue"' in profile.read_text(), "value in the profile")
        self.assertEqual(self.home.text(), TEXT)

    def test_a_profile_that_is_stepped_over_is_not_used(self):
        self.home.cli("profile", APP, "new", "zoo")
        self.tab.until(lambda: self.tab.js("return document.querySelector('#profile').options.length") == 3, "profiles")
        self.tab.js("""window.used = []; const send = fetch;
            window.fetch = (path, options) => { if (path.endsWith("/profile")) used.push(JSON.parse(options.body).use); return send(path, options); };
            document.querySelector("#profile").focus()""")
        self.tab.keys(Keys.DOWN, Keys.DOWN)
        self.tab.until(lambda: "* zoo" in self.home.cli("profile", APP, "list"), "last profile")
        self.tab.rest()
        self.assertEqual(self.tab.js("return used"), ["zoo"])
        self.tab.keys(Keys.UP, Keys.ESCAPE)
        self.assertEqual(self.tab.one("#profile").get_property("value"), "zoo")


class KeyboardTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def press(self, *keys):
        self.tab.rest()
        self.tab.keys(*keys)

    def focused(self):
        return self.tab.js("return document.activeElement.dataset.key ?? document.activeElement.id")

    def test_everything_is_done_with_the_keyboard(self):
        self.press("j", "j")
        self.tab.until(lambda: self.focused() == "size", "second setting")
        self.press(Keys.ENTER)
        ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()
        self.press("2", "1", Keys.ENTER)
        self.wait_for_text("size = 21")
        self.press(Keys.ESCAPE)
        self.tab.until(lambda: self.focused() == "size", "the row")
        self.press("u")
        self.wait_for_text("size = 14")
        self.press("r")
        self.wait_for_text("theme", absent=["size ="])
        self.press("e")
        self.tab.until(lambda: self.tab.row("size", ".row-details").is_displayed(), "details")
        self.press("/")
        self.tab.until(lambda: self.focused() == "search", "search")
        self.press("t", "h", "e", "m", "e", Keys.ENTER)
        self.tab.until(lambda: self.focused() == "theme", "result")
        self.press("l")
        self.tab.until(lambda: self.focused() == "file-text", "line in the file")

    def test_a_key_that_is_held_resets_one_setting(self):
        self.home.schema.unlink()
        self.tab.reload()
        self.tab.row("theme").js("element.focus()")
        hold = {"type": "keyDown", "key": "r", "text": "r"}
        self.tab.driver.execute_cdp_cmd("Input.dispatchKeyEvent", hold)
        self.wait_for_text("size", absent=["theme"])
        self.tab.until(lambda: self.focused() == "size", "next setting")
        self.tab.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {**hold, "autoRepeat": True})
        self.press("r")
        self.wait_for_text("places", absent=["size"])
        self.tab.rest()
        self.assertEqual(json.loads(self.home.cli("log", APP, "--json"))[0]["changes"][0]["key"], "size")

    def test_the_page_of_shortcuts_opens_and_single_keys_can_be_turned_off(self):
        self.press("?")
        self.tab.click("dialog[open] #single-keys")
        self.press(Keys.ESCAPE)
        self.tab.until(lambda: self.tab.count("dialog") == 0, "closed page")
        self.press("j")
        self.assertNotEqual(self.focused(), "theme")
        self.tab.js("localStorage.clear()")

    def test_the_focus_goes_through_the_page_in_its_order(self):
        self.tab.js("document.activeElement.blur(); window.seen = []; document.addEventListener('focusin', (e) => seen.push([e.target, e.target.getBoundingClientRect().top]))")
        self.press(*[Keys.TAB] * 25)
        seen = self.tab.js("return seen.map(([e]) => e.closest('header, nav, main, #file')?.tagName ?? 'skip')")
        order = [name for at, name in enumerate(seen) if at == 0 or seen[at - 1] != name]
        self.assertEqual(order, [name for name in ["skip", "HEADER", "NAV", "MAIN", "SECTION"] if name in order])
        rows = self.tab.js("return seen.filter(([e]) => e.closest('.row')).map(([e]) => e.closest('.row').dataset.key)")
        self.assertEqual(list(dict.fromkeys(rows)), self.tab.js("return [...document.querySelectorAll('.row')].map((r) => r.dataset.key)")[:len(set(rows))])
