"""What becomes of what somebody types, tries and sees while others change the profile, the file, and the schema."""

import time

from harness import APP, Keys, PageTest

SCHEMA = f'''app = "{APP}"
[keys.words]
type = "array"
elements = {{ type = "string" }}
[keys.theme]
type = "string"
choices = ["light", "dark"]
default = "dark"
[keys.flag]
type = "boolean"
default = false
[keys.size]
type = "integer"
minimum = 6
maximum = 72
default = 12
[keys.token]
type = "string"
secret = true
[keys.bindings]
type = "table"
elements = {{ type = "string" }}
[keys.servers]
type = "records"
fields = {{ url = {{ type = "string" }}, port = {{ type = "integer", minimum = 1, maximum = 65535 }} }}
'''
TEXT = '''# Mine.
words = ["one", "two"]
extra = "x"

[bindings]
md = "markdown"

# At home.
[servers.home]
url = "https://home.example.net/"

[servers.office]
url = "https://office.example.net/"
'''


class MeanwhileTest(PageTest):
    schema = SCHEMA
    text = TEXT

    @property
    def profile(self):
        return self.home.path / ".config" / APP / "profiles/work.toml"

    def field(self, key, selector):
        return self.tab.row(key, f".row-control {selector}")

    def message_has(self, key, text, tab=None):
        tab = tab or self.tab
        tab.until(lambda: text in tab.message(key), f"message '{text}'")

    def use(self, *profile):
        self.home.cli("profile", APP, "use", *profile)

    def hold(self, method):
        """Has requests wait until `release()`."""
        self.tab.js("""window.held = []; const send = window.fetch.bind(window); window.fetch = async (path, options) => {
            if (options?.method === arguments[0] && window.held) await new Promise((done) => { window.held.push(done); });
            return send(path, options); }""".replace("arguments[0]", f"'{method}'"))

    def release(self):
        self.tab.js("const held = window.held; window.held = null; for (const go of held) go();")


ADDERS = [("words", "> .list-box > .adder input", "four", '"four"'), ("servers", "> .records-box > .adder input", "cloud", "servers.cloud"),
          ("bindings", "> .table-box > .adder input", "rs", "rs")]


class ProfileTest(MeanwhileTest):
    def prepare(self):
        self.home.cli("profile", APP, "new", "work")

    def test_what_is_typed_to_be_added_is_not_stored_in_another_file_unasked(self):
        for key, selector, typed, stored in ADDERS:
            with self.subTest(key):
                before = self.profile.read_text()
                self.field(key, selector).type(typed, key="")
                self.use("work")
                self.message_has(key, "You edit …/profiles/work.toml now")
                self.assertEqual(self.field(key, selector).get_property("value"), typed)
                self.field(key, selector).send_keys(Keys.ESCAPE)
                self.tab.until(lambda: self.tab.message(key) == "", "end of the message")
                self.assertEqual((self.home.text(), self.profile.read_text()), (TEXT, before))
                self.use("--none")
                self.tab.until(lambda: self.tab.one("#profile").get_property("value") == "", "own file")
                self.field(key, selector).type(typed, key="")
                self.use("work")
                self.message_has(key, "You edit")
                self.tab.click(f".row[data-key={key}] .row-message button", "Store mine")
                self.tab.until(lambda: stored in self.profile.read_text(), "text of the profile")
                self.tab.until(lambda: self.tab.message(key) == "", "end of the message")
                self.assertEqual(self.home.text(), TEXT)
                self.use("--none")
                self.tab.until(lambda: self.tab.one("#profile").get_property("value") == "", "own file")

    def test_what_is_added_before_the_page_hears_of_another_profile_is_asked_about(self):
        before = self.profile.read_text()
        for key, selector, typed, _ in ADDERS:
            with self.subTest(key):
                self.tab.reload()
                self.field(key, selector).type(typed, key="")
                self.hold("GET")
                self.use("work")
                self.tab.until(lambda: self.tab.js("return window.held.length") > 0, "reading")
                self.tab.keys(Keys.ENTER)
                time.sleep(0.3)
                self.release()
                self.message_has(key, "You edit …/profiles/work.toml now")
                self.assertEqual(self.field(key, selector).get_property("value"), typed)
                self.assertEqual((self.home.text(), self.profile.read_text()), (TEXT, before))
                self.use("--none")
                self.tab.until(lambda: self.tab.one("#profile").get_property("value") == "", "own file")

    def test_what_is_clicked_before_the_page_hears_of_another_profile_is_not_stored_there(self):
        before = self.profile.read_text()
        for key, selector in [("flag", "input"), ("theme", ".segment"), ("servers", "[aria-label='Menu of office']")]:
            with self.subTest(key):
                self.tab.reload()
                self.hold("GET")
                self.use("work")
                self.tab.until(lambda: self.tab.js("return window.held.length") > 0, "reading")
                self.tab.js("document.querySelector(arguments[0]).click()", f".row[data-key={key}] .row-control {selector}")
                if key == "servers":
                    self.tab.js("document.querySelector('.menu [aria-label=\"Remove office\"]').click()")
                time.sleep(0.3)
                self.release()
                self.message_has(key, "You edit …/profiles/work.toml now, so nothing was stored.")
                self.assertEqual((self.home.text(), self.profile.read_text()), (TEXT, before))
                self.use("--none")
                self.tab.until(lambda: self.tab.one("#profile").get_property("value") == "", "own file")

    def test_another_file_with_the_same_text_is_not_taken_for_the_one_that_is_shown(self):
        text = 'thame = "dark"\n' + TEXT
        self.home.write(self.home.file, text)
        self.home.write(self.profile, text)
        self.tab.until(lambda: self.tab.texts(".row[data-key=thame] .fixes button"), "finding")
        for key, selector, said in [("flag", ".row-control input", "You edit …/profiles/work.toml now"), ("thame", ".fixes button", "and not '")]:
            with self.subTest(key):
                self.tab.reload()
                self.hold("GET")
                self.use("work")
                self.tab.until(lambda: self.tab.js("return window.held.length") > 0, "reading")
                self.tab.js("document.querySelector(arguments[0]).click()", f".row[data-key={key}] {selector}")
                time.sleep(0.3)
                self.release()
                self.tab.until(lambda: said in self.tab.message(key), "refusal")
                self.assertEqual((self.home.text(), self.profile.read_text()), (text, text))
                self.use("--none")
                self.tab.until(lambda: self.tab.one("#profile").get_property("value") == "", "own file")

    def test_the_history_beside_another_file_with_the_same_text_is_that_of_the_file(self):
        self.home.cli("set", APP, "flag", "true")
        self.home.write(self.profile, self.home.text())
        self.tab.reload()
        self.tab.press("flag", ".more")
        self.tab.until(lambda: "settings-cli" in self.tab.row("flag", ".past").text, "history")
        self.tab.one("#layer").choose("Profile work")
        self.tab.until(lambda: "an editor" in self.tab.row("flag", ".past").text, "history of the profile")

    def test_a_record_is_not_renamed_in_a_file_that_the_page_has_not_heard_of(self):
        other = TEXT + "# At work.\n"
        self.home.write(self.profile, other)
        self.tab.menu("home", "Rename home")
        self.tab.one("[aria-label='New name of home']").type("nas", key="")
        self.hold("GET")
        self.use("work")
        self.tab.until(lambda: self.tab.js("return window.held.length") > 0, "reading")
        self.tab.keys(Keys.ENTER)
        self.release()
        self.message_has("servers", "You edit …/profiles/work.toml now")
        self.assertEqual((self.home.text(), self.profile.read_text()), (TEXT, other))
        self.assertEqual(self.tab.one("[aria-label='New name of home']").get_property("value"), "nas")

    def test_a_record_is_not_renamed_in_another_file_unasked(self):
        self.home.write(self.profile, TEXT)
        self.tab.menu("home", "Rename home")
        self.tab.one("[aria-label='New name of home']").type("nas", key="")
        self.use("work")
        self.tab.until(lambda: self.tab.one("#profile").get_property("value") == "work", "profile")
        self.tab.one("[aria-label='New name of home']").send_keys(Keys.ENTER)
        self.message_has("servers", "You edit …/profiles/work.toml now")
        self.assertEqual((self.home.text(), self.profile.read_text()), (TEXT, TEXT))
        self.tab.one("[aria-label='New name of home']").send_keys(Keys.ENTER)
        self.tab.until(lambda: "[servers.nas]" in self.profile.read_text(), "text of the profile")
        self.assertEqual(self.home.text(), TEXT)


class RemovedTest(MeanwhileTest):
    places = [("servers", "[aria-label=home] .member input", ["unset", APP, "servers.home"], 'url = "DRAFT"'),
              ("servers", "[aria-label=home] .member input", ["rename", APP, "servers.home", "servers.haus"], 'url = "DRAFT"'),
              ("bindings", ".member input", ["unset", APP, "bindings.md"], 'md = "DRAFT"'), ("extra", "input", ["unset", APP, "extra"], None)]

    def test_a_draft_stays_when_its_place_is_removed(self):
        for key, selector, words, stored in self.places:
            for choice in ["Give up", "Store mine"]:
                with self.subTest(words=words, choice=choice):
                    self.home.write(self.home.file, TEXT)
                    self.tab.until(lambda: self.tab.js("return document.querySelector('#file-text').value") == TEXT, "text")
                    self.field(key, selector).type("DRAFT", key="")
                    self.home.cli(*words)
                    self.message_has(key, "Removed meanwhile")
                    self.assertEqual(self.field(key, selector).get_property("value"), "DRAFT")
                    self.tab.js("document.activeElement.blur()")
                    self.tab.rest()
                    self.assertNotIn("DRAFT", self.home.text())
                    self.tab.click(f".row[data-key={key}] .row-message button", choice)
                    # There is nothing any more that the app does not know.
                    if choice == "Store mine" and stored is None:
                        self.message_has(key, "Unknown key")
                        self.field(key, selector).send_keys(Keys.ESCAPE)
                    elif choice == "Store mine":
                        self.wait_for_text(stored)
                    else:
                        self.tab.until(lambda: self.tab.count(f".row[data-key={key}] .row-control {selector}") == 0, "end of the field")
                        self.assertNotIn("DRAFT", self.home.text())
                    self.tab.until(lambda: self.tab.count("[data-draft]") == 0, "end of the draft")

    def test_a_new_name_stays_when_the_record_is_removed(self):
        self.tab.menu("home", "Rename home")
        self.tab.one("[aria-label='New name of home']").type("nas", key="")
        self.home.cli("unset", APP, "servers.home")
        self.tab.until(lambda: "home.example" not in self.tab.js("return document.querySelector('#file-text').value"), "change")
        self.tab.rest()
        self.assertEqual(self.tab.one("[aria-label='New name of home']").get_property("value"), "nas")
        self.tab.keys(Keys.ENTER)
        self.tab.until(lambda: self.tab.message("servers"), "refusal")
        self.tab.one("[aria-label='New name of home']").send_keys(Keys.ESCAPE)
        self.tab.until(lambda: self.tab.count("[aria-label=home].record") == 0, "end of the record")

    def test_a_secret_that_changes_before_the_page_knows_it_is_not_overwritten(self):
        self.field("token", "input").type("mine", key="")
        self.hold("GET")
        self.home.cli("set", APP, "token", "theirs")
        self.tab.keys(Keys.ENTER)
        self.tab.until(lambda: self.tab.js("return window.held.length") > 0, "question")
        self.release()
        self.message_has("token", "meanwhile")
        self.tab.rest()
        self.assertIn('token = "theirs"', self.home.text())

    def test_a_refusal_has_words(self):
        self.tab.js("document.activeElement.blur()")
        self.hold("GET")
        self.home.cli("unset", APP, "bindings.md")
        self.tab.until(lambda: self.tab.js("return window.held.length") > 0, "reading")
        self.tab.js("const input = document.querySelector('.row[data-key=bindings] .member input'); input.focus(); input.value = 'DRAFT'; input.dispatchEvent(new Event('input'))")
        self.tab.keys(Keys.ENTER)
        time.sleep(0.3)
        self.release()
        self.message_has("bindings", "Removed meanwhile")
        self.assertEqual(self.field("bindings", ".member input").get_property("value"), "DRAFT")


class UnseenTest(MeanwhileTest):
    """What another has changed, and the page has not heard of, stays."""

    text = 'thame = "dark"\nsize = 100\n'

    def change(self, *words):
        """Has another program change the file while the page hears of nothing."""
        self.hold("GET")
        self.home.cli("set", APP, *words)
        self.tab.until(lambda: self.tab.js("return window.held.length") > 0, "reading")

    def sizes(self, *sizes):
        for size in sizes:
            self.home.cli("set", APP, "size", size)
        self.tab.until(lambda: self.field("size", "input[role=spinbutton]").get_property("value") == size, "change")

    def press(self, key, ctrl=False):
        """Presses a key on a setting while the page waits for an answer."""
        self.tab.js("""document.querySelector('.row[data-key=size]').focus();
            document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0], ctrlKey: arguments[1], bubbles: true, cancelable: true }))""", key, ctrl)

    def test_a_fix_is_of_what_is_shown(self):
        for key, label in [("thame", "Rename to theme"), ("thame", "Remove it"), ("size", "Reset it")]:
            with self.subTest(label):
                self.home.write(self.home.file, self.text)
                self.tab.until(lambda: self.tab.texts(".row[data-key=size] .fixes button"), "finding")
                self.tab.reload()
                self.change("flag", "true")
                self.tab.js("[...document.querySelectorAll(arguments[0])].find((one) => one.textContent === arguments[1]).click()",
                            f".row[data-key={key}] .fixes button", label)
                self.release()
                self.message_has(key, "changed meanwhile, so nothing was stored")
                self.assertEqual(self.home.text(), self.text + "flag = true\n")
                # What is shown now is what a click is meant for.
                self.tab.click(f".row[data-key={key}] .fixes button", label)
                self.wait_for_text("flag = true", absent=["thame" if key == "thame" else "size"])

    def test_a_fix_follows_what_was_just_typed(self):
        self.home.write(self.home.file, self.text + 'words = ["one"]\n')
        self.field("words", ".item input").send_keys("x")
        self.tab.point(self.tab.row("size", ".fixes button"))
        self.wait_for_text("onex", absent=["size"])
        self.tab.rest()
        self.assertEqual(self.tab.message("size"), "")

    def test_a_fix_is_made_once(self):
        self.tab.row("size", ".fixes button").js("element.click(); element.click()")
        self.wait_for_text("thame", absent=["size"])
        self.tab.rest()
        self.assertEqual(self.tab.message("size"), "")

    def test_an_undo_is_of_what_is_shown(self):
        self.sizes("20", "30")
        for key, ctrl, said in [("z", True, "#trial"), ("u", False, ".row[data-key=size] .row-message")]:
            with self.subTest(key):
                self.change("size", "60")
                self.press(key, ctrl)
                self.release()
                self.tab.until(lambda: "changed meanwhile, so nothing was stored" in self.tab.one(said).text, "message")
                self.assertIn("size = 60", self.home.text())
                self.tab.row("size").js("element.focus()")
                self.tab.keys("u")
                self.wait_for_text("size = 30")
                self.tab.reload()

    def test_a_reset_takes_away_what_is_shown(self):
        self.sizes("30")
        self.change("size", "60")
        self.press("r")
        self.release()
        self.message_has("size", "changed meanwhile, so nothing was stored")
        self.assertIn("size = 60", self.home.text())

    def test_a_value_is_stored_although_another_one_changes_all_the_time(self):
        self.tab.row("words").wait()
        self.tab.js("""let left = 10;
            const send = fetch;
            window.fetch = async (path, options) => {
                if (path.endsWith("/edits") && !options.body.includes("dryRun") && left > 0) {
                    left -= 1;
                    await send(path, { ...options, body: JSON.stringify({ edits: [{ set: "flag", value: left % 2 === 0 }] }) });
                }
                return send(path, options);
            };""")
        self.field("size", "input[role=spinbutton]").type("30")
        self.wait_for_text("size = 30", "flag = true")
        self.tab.until(lambda: self.tab.message("size") == "", "end of the message")

    def test_an_undo_of_a_setting_goes_on_when_another_one_has_changed(self):
        self.sizes("20", "30")
        self.change("flag", "true")
        self.tab.js("document.querySelector('.row[data-key=size]').focus()")
        self.tab.keys("u")
        self.release()
        self.wait_for_text("size = 20", "flag = true")


class SchemaTest(MeanwhileTest):
    def test_controls_follow_the_schema(self):
        changed = (SCHEMA.replace('["light", "dark"]', '["light", "dark", "sepia"]').replace("maximum = 72", "maximum = 100").replace("maximum = 65535", "maximum = 99")
                   .replace('[keys.words]\ntype = "array"\nelements = { type = "string" }', '[keys.words]\ntype = "array"\nelements = { type = "string", choices = ["one", "two", "nine"] }'))
        self.field("size", "input[role=spinbutton]").type("20", key="")
        self.home.write(self.home.schema, changed)
        self.tab.until(lambda: "sepia" in self.tab.row("theme", ".row-control").text, "choice")
        self.tab.until(lambda: self.field("words", ".adder select").get_property("tagName") == "SELECT", "choices of elements")
        self.tab.until(lambda: self.field("servers", "[aria-label=office] input[role=spinbutton]").get_attribute("aria-valuemax") == "99", "bound of a field")
        # What is typed stays, until it is stored.
        self.assertEqual(self.field("size", "input[role=spinbutton]").get_property("value"), "20")
        self.field("size", "input[role=spinbutton]").send_keys(Keys.ENTER)
        self.wait_for_text("size = 20")
        self.tab.until(lambda: self.field("size", "input[role=spinbutton]").get_attribute("aria-valuemax") == "100", "bound")

    def test_a_draft_in_a_record_survives_another_schema(self):
        url = "[aria-label=home] input[type=text]"
        self.field("servers", url).type("DRAFT", key="")
        self.home.write(self.home.schema, SCHEMA.replace("maximum = 65535", "maximum = 99"))
        self.tab.until(lambda: self.field("servers", "[aria-label=home] input[role=spinbutton]").get_attribute("aria-valuemax") == "99", "bound")
        self.assertEqual(self.field("servers", url).get_property("value"), "DRAFT")


class TrialTest(MeanwhileTest):
    def test_a_trial_of_another_tab_leaves_this_one_trying(self):
        other = self.open()
        other.tool("#try")
        self.tab.tool("#try")
        self.field("flag", "input").click()
        for tab in [self.tab, other]:
            tab.until(lambda: "You are trying a change." in tab.one("#trial").text, "trial")
        self.assertEqual(self.tab.one("#try").get_attribute("aria-pressed"), "false")
        self.assertEqual(other.one("#try").get_attribute("aria-pressed"), "true")
        other.row("theme", ".segment").click()
        self.message_has("theme", "A trial is running", other)
        self.assertNotIn("theme", self.home.text())
        self.tab.click("#trial button", "Take it back now")
        self.wait_for_text(TEXT)
        other.until(lambda: other.one("#trial").text == "", "end of the trial")
        other.row("theme", ".segment").click()
        other.until(lambda: "You are trying a change." in other.one("#trial").text, "trial")
        self.assertEqual(other.one("#try").get_attribute("aria-pressed"), "false")


class BrokenTest(MeanwhileTest):
    system = 'size = 20\n'

    def test_a_file_of_administrators_that_breaks_is_an_error(self):
        self.assertEqual(self.tab.value("size", "input[role=spinbutton]"), "20")
        self.home.write(self.home.system, 'size = = 20\n')
        self.tab.until(lambda: "Another file of this app cannot be read." in self.tab.one(".notice.error").text, "error")
        self.assertIn("The values below are without it.", self.tab.one(".notice.error").text)
        self.assertIn(str(self.home.system), self.tab.one(".notice.error").text)
        self.assertEqual(self.tab.value("size", "input[role=spinbutton]"), "12")


class PartTest(MeanwhileTest):
    text = TEXT + 'port = 0\n[servers.cloud]\nport = "x"\n'

    def test_one_wrong_field_of_a_record_is_reset_alone(self):
        self.assertEqual(len(self.tab.texts(".row[data-key=servers] .error-note")), 2)
        self.tab.click(".row[data-key=servers] .fixes button", "Reset it")
        self.wait_for_text("servers.cloud", absent=["port = 0"])
        self.assertEqual(self.home.text(), TEXT + '[servers.cloud]\nport = "x"\n')

    def test_what_has_no_name_of_its_own_is_shown_and_not_reset(self):
        self.home.write(self.home.file, TEXT.replace('"two"', "2"))
        self.tab.until(lambda: "'[1]' in 'words'" in self.tab.row("words", ".row-notes").text, "finding")
        self.assertEqual(self.tab.texts(".row[data-key=words] .fixes button"), ["Show the line"])
