"""The page says how it is: where it cannot read, what is older than the file, what runs out, and why something was refused."""

from harness import APP, Keys, PageTest, Tab, read
from test_controls import SCHEMA, TEXT

BROKEN = "\n[keys.x\n"


class UnreadTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def notices(self):
        return self.tab.one("#notices").text

    def test_a_schema_that_breaks_is_said_until_it_is_mended(self):
        self.home.write(self.home.schema, SCHEMA + BROKEN)
        self.tab.until(lambda: "Cannot use the schema" in self.notices(), "notice")
        self.assertIn("out of date", self.notices())
        self.assertNotIn("does not answer", self.notices())
        self.assertEqual(self.tab.value("name"), "Grace")
        self.home.write(self.home.schema, SCHEMA)
        self.tab.until(lambda: "Cannot use the schema" not in self.notices(), "end of the notice")
        self.home.cli("set", APP, "name", "Lin")
        self.tab.until(lambda: self.tab.value("name") == "Lin", "change")

    def test_a_file_that_becomes_a_directory_is_said(self):
        self.home.file.rename(self.home.file.with_name("old"))
        self.home.file.mkdir()
        self.tab.until(lambda: "it is a directory" in self.notices(), "notice")
        self.home.file.rmdir()
        self.home.write(self.home.file, 'name = "Lin"\n')
        self.tab.until(lambda: self.tab.value("name") == "Lin" and "directory" not in self.notices(), "settings")

    def test_a_link_that_leads_nowhere_and_becomes_a_file_is_noticed(self):
        self.home.file.unlink()
        self.home.file.symlink_to(self.home.path / "gone.toml")
        self.tab.until(lambda: self.tab.value("name") != "Grace", "no value")
        self.home.file.unlink()
        self.home.write(self.home.file, 'name = "Lin"\n')
        self.tab.until(lambda: self.tab.value("name") == "Lin", "value")

    def test_what_is_said_of_an_app_is_not_said_of_another(self):
        self.home.write(self.home.file, 'thame = "dark"\n' + TEXT + "[window\n")
        self.tab.until(lambda: self.tab.count(".notice.error"), "notice")
        self.tab.click("#all-apps")
        self.tab.one(".app").wait()
        self.assertEqual(self.tab.count("#notices .notice"), 0)


class BrokenStartTest(PageTest):
    schema = SCHEMA + BROKEN
    text = TEXT

    def open(self):
        tab = Tab(self.server.url)
        self.addCleanup(tab.close)
        return tab

    def test_a_schema_that_is_broken_at_the_start_is_said(self):
        self.tab.until(lambda: "Cannot use the schema" in self.tab.one("#notices").text, "notice")
        self.assertNotIn("does not answer", self.tab.one("#notices").text)
        self.home.write(self.home.schema, SCHEMA)
        self.tab.until(lambda: self.tab.count(".row[data-key=name]"), "settings")
        self.tab.until(lambda: self.tab.one("#notices").text == "", "end of the notice")


class OutdatedTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def test_a_file_that_breaks_leaves_the_last_values(self):
        self.home.write(self.home.file, TEXT.replace('name = "Grace"', "name = Grace"))
        self.tab.until(lambda: "last ones that could be read" in self.tab.one("#notices").text, "notice")
        self.assertEqual(self.tab.value("name"), "Grace")
        self.assertEqual(self.tab.value("size", "input[role=spinbutton]"), "14")
        self.assertFalse(self.tab.row("size", "input[role=spinbutton]").is_enabled())
        self.home.write(self.home.file, TEXT.replace("Grace", "Lin"))
        self.tab.until(lambda: self.tab.value("name") == "Lin" and self.tab.row("name", "input").is_enabled(), "mended file")

    def test_a_file_is_mended_although_it_has_other_mistakes(self):
        text = TEXT.replace("0x0E", "400").replace('"s3cret"', '"x"') + "\nthame = 1\n"
        self.home.write(self.home.schema, SCHEMA.replace("secret = true", ""))
        self.home.write(self.home.file, text.replace("[editor]", "[editor") if "[editor]" in text else text + "[x\n")
        self.tab.until(lambda: "does not parse" in self.tab.one("#notices").text, "notice")
        area = self.tab.one("#file-text")
        area.js("element.value = element.value.replace('[x\\n', '[x]\\n').replace('[editor\\n', '[editor]\\n'); element.dispatchEvent(new Event('input'))")
        area.send_keys(Keys.CONTROL, "s")
        self.tab.until(lambda: self.home.text() in (text, text + "[x]\n"), "mended text")
        self.tab.until(lambda: "does not parse" not in self.tab.one("#notices").text, "end of the notice")
        # What is wrong besides is said beside its setting, and first.
        self.tab.until(lambda: "72" in self.tab.row("size", ".row-notes").text, "note")

    def test_what_prevents_saving_is_named_and_not_a_warning(self):
        area = self.tab.one("#file-text")
        area.js("element.value = `thame = 1\\n${element.value.replace('0x0E', '400')}`; element.dispatchEvent(new Event('input'))")
        area.send_keys(Keys.CONTROL, "s")
        self.tab.until(lambda: "size" in self.tab.one(".file-state.error").text, "message")
        self.assertNotIn("thame", self.tab.one("#file-state").text)

    def test_what_is_said_while_one_types_is_what_is_said_when_it_is_stored(self):
        field = self.tab.row("size", "input[role=spinbutton]")
        field.type("100", key="")
        self.tab.until(lambda: "from 6 to 72" in self.tab.message("size"), "message")
        said = self.tab.message("size")
        self.assertNotIn("Line 1", said)
        field.send_keys(Keys.ENTER)
        self.tab.rest()
        self.assertEqual(self.tab.message("size"), said)


class TrialTest(PageTest):
    schema = SCHEMA
    text = TEXT
    other = "org.b.app"

    def prepare(self):
        self.theirs = self.home.path / ".config" / self.other / "settings.toml"
        self.home.write(self.theirs, "b = 2\n")

    def for_long(self):
        """Has trials last as long as the server allows."""
        self.tab.js("""const send = fetch;
            window.fetch = (path, options) => send(path, options?.body ? { ...options, body: options.body.replace('"tryFor":15', '"tryFor":300') } : options);""")

    def trial(self):
        """Tries a change, and goes to all apps."""
        self.tab.tool("#try")
        self.tab.row("flag", "input").click()
        self.wait_for_text("flag   = false")
        self.tab.until(lambda: self.tab.count(".notice.trial"), "trial")
        self.tab.tool("#all-apps")
        self.tab.one(".app").wait()

    def end(self, button):
        self.tab.point(self.tab.one(f".notice.trial {button}"))
        self.tab.until(lambda: self.tab.count(".notice.trial") == 0, "end of the trial")
        self.tab.rest()
        self.assertEqual(self.tab.texts("#trial .notice"), [])

    def test_a_trial_is_kept_or_taken_back_where_another_app_is_shown(self):
        for button, value in [(".primary", False), ("button:last-child", True)]:
            for place in ["all apps", self.other]:
                with self.subTest(button, place=place):
                    self.home.write(self.home.file, TEXT)
                    self.tab.until(lambda: self.tab.row("flag", "input").is_selected(), "first value")
                    self.for_long()
                    self.trial()
                    if place == self.other:
                        self.tab.click(".app", self.other)
                        self.tab.wait_until_live(self.other)
                    self.end(button)
                    self.tab.until(lambda: read(self.home, "flag") == value, "value")
                    if place == self.other:
                        self.tab.click("#all-apps")
                    self.tab.click(".app", APP)
                    self.tab.wait_until_live(APP)

    def test_a_trial_shows_after_a_reload_and_in_other_tabs(self):
        self.for_long()
        self.tab.tool("#try")
        self.tab.row("flag", "input").click()
        self.wait_for_text("flag   = false")
        self.tab.until(lambda: self.tab.count(".notice.trial"), "trial")
        other = self.open()
        other.until(lambda: other.count(".notice.trial"), "trial in the other tab")
        other.close()
        self.tab.reload()
        self.tab.until(lambda: self.tab.count(".notice.trial"), "trial after the reload")
        self.end(".primary")
        self.assertEqual(read(self.home, "flag"), False)

    def test_what_cannot_be_tried_is_refused(self):
        self.tab.tool("#try")
        area = self.tab.one("#file-text")
        area.js("element.value = `# New.\\n${element.value}`; element.dispatchEvent(new Event('input'))")
        area.send_keys(Keys.CONTROL, "s")
        self.tab.until(lambda: "Only the value of a setting can be tried" in self.tab.one("#file-state").text, "message")
        self.tab.tool("#undo")
        self.tab.until(lambda: "Only the value of a setting can be tried" in self.tab.one("#trial").text, "message")
        self.assertEqual(self.home.text(), TEXT)
        self.tab.tool("#try")
        area.send_keys(Keys.CONTROL, "s")
        self.wait_for_text("# New.")

    def test_a_trial_is_kept_once(self):
        self.for_long()
        self.trial()
        self.tab.js("const keep = document.querySelector('.notice.trial .primary'); keep.click(); keep.click()")
        self.tab.until(lambda: self.tab.count(".notice.trial") == 0, "end of the trial")
        self.tab.rest()
        self.assertEqual(self.tab.texts("#trial .notice"), [])

    def test_a_trial_that_is_over_hinders_no_other_app(self):
        self.for_long()
        self.trial()
        self.tab.click(".app", self.other)
        self.tab.wait_until_live(self.other)
        # Its time is up, which this page does not hear.
        self.tab.js("const now = Date.now; Date.now = () => now() + 400_000")
        self.tab.until(lambda: self.tab.count(".notice.trial") == 0, "end of the trial")
        self.tab.tool("#try")
        self.tab.row("b", "input").type("3")
        self.tab.until(lambda: self.theirs.read_text() == "b = 3\n" and self.tab.count(".notice.trial"), "trial")
        self.assertEqual(self.tab.message("b"), "")

    def test_a_trial_that_is_over_does_not_stay(self):
        self.for_long()
        self.trial()
        token = self.tab.js("return JSON.parse(sessionStorage.getItem('settings-page')).token")
        # The page does not hear of it while it shows another app.
        self.tab.click(".app", self.other)
        self.tab.wait_until_live(self.other)
        self.tab.js("""return import("/model.js").then(({ model }) => fetch(`/api/apps/${arguments[1]}/trials/${model.trial.id}`,
            { method: "DELETE", headers: { Authorization: `Bearer ${arguments[0]}` } }))""", token, APP)
        self.tab.until(lambda: read(self.home, "flag") is True, "former value")
        self.tab.point(self.tab.one(".notice.trial .primary"))
        self.tab.until(lambda: self.tab.texts("#trial .notice h2") == ["There is no such trial. It may be over."], "message alone")

    def test_a_trial_stays_in_sight_wherever_one_scrolls(self):
        self.for_long()
        for width, height in [(1440, 900), (390, 844)]:
            with self.subTest(width):
                self.home.write(self.home.file, TEXT)
                self.tab.show(width, height)
                self.tab.row("shape").wait()
                self.tab.tool("#try")
                self.tab.row("flag", "input").click()
                self.wait_for_text("flag   = false")
                self.tab.row("shape").wait()
                self.tab.until(lambda: self.tab.count(".notice.trial"), "trial")
                box = self.tab.js("const box = document.querySelector('.notice.trial').getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom, innerWidth, innerHeight]")
                self.assertTrue(0 <= box[0] and 0 <= box[1] and box[2] <= box[4] and box[3] <= box[5], box)
                self.tab.point(self.tab.one(".notice.trial .primary"))
                self.tab.until(lambda: self.tab.count(".notice.trial") == 0, "end of the trial")
                self.assertEqual(read(self.home, "flag"), False)
