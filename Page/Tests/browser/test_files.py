"""Which file is edited: profiles, declared files, those of administrators; and the earlier texts of a file."""

from harness import APP, PageTest
from test_controls import SCHEMA, TEXT

DROP_IN = '# For every machine.\nname = "Declared"  # here\nsize = 20\n'
SIZE = next(line for line in TEXT.splitlines() if line.startswith("size"))


class FilesTest(PageTest):
    schema = SCHEMA
    text = TEXT
    system = 'count = 7\n'

    def prepare(self):
        self.folder = self.home.path / ".config" / APP
        self.home.write(self.folder / "settings.d/10-work.toml", DROP_IN)
        self.home.write(self.folder / "profiles/travel.toml", 'theme = "dark"\n')

    def choose(self, name):
        self.tab.one("#layer").choose(name)

    def shows(self, path):
        self.tab.until(lambda: self.tab.js("return document.querySelector('.file-name').title").endswith(path), path)

    def test_the_files_of_the_app_are_offered(self):
        names = self.tab.js("return [...document.querySelectorAll('#layer option')].map((option) => option.textContent)")
        self.assertEqual(names, ["Your file", "Profile travel", "Declared file 10-work", "Declared for this host", "Declared for this system",
                                 "Declared for this processor", "Administrators"])
        self.assertFalse(self.tab.one("#layer-banner").is_displayed())

    def test_a_declared_file_is_edited(self):
        self.choose("Declared file 10-work")
        self.shows("settings.d/10-work.toml")
        self.assertIn("10-work", self.tab.one("#layer-banner").text)
        self.tab.until(lambda: self.tab.value("name") == "Declared", "value of the declared file")
        self.tab.row("name", "input").type("Lin")
        file = self.folder / "settings.d/10-work.toml"
        self.tab.until(lambda: file.read_text() == DROP_IN.replace("Declared", "Lin"), "value in the declared file")
        self.assertEqual(self.home.text(), TEXT)
        self.tab.press("size", ".row-tools button")
        self.tab.until(lambda: "size" not in file.read_text(), "reset")
        self.assertEqual(self.home.text(), TEXT)

    def test_the_text_of_a_profile_that_is_not_active_is_edited(self):
        self.choose("Profile travel")
        self.shows("profiles/travel.toml")
        self.tab.js("""const area = document.querySelector('#file-text'); area.focus(); const at = area.value.indexOf('dark');
            area.setSelectionRange(at, at + 4); document.execCommand('insertText', false, 'light');""")
        self.tab.click(".file-head .primary")
        self.tab.until(lambda: (self.folder / "profiles/travel.toml").read_text() == 'theme = "light"\n', "text of the profile")
        self.assertEqual(self.home.text(), TEXT)

    def test_a_file_for_this_host_is_made_by_its_first_value(self):
        self.choose("Declared for this host")
        self.shows("/settings.toml")
        self.tab.until(lambda: "does not exist yet" in self.tab.one("#file-state").text, "note")
        self.tab.row("name", "input").type("Lin")
        self.tab.until(lambda: [file.read_text() for file in self.folder.glob("settings.d/@host=*/settings.toml")] == ['name = "Lin"\n'], "file of this host")

    def test_the_way_back_to_the_own_file(self):
        self.choose("Administrators")
        self.shows("etc/xdg/org.example.editor/settings.toml")
        self.tab.click("#layer-banner button")
        self.tab.until(lambda: self.tab.value("name") == "Grace" and not self.tab.one("#layer-banner").is_displayed(), "own file")

    def test_the_active_profile_is_shown_whichever_file_is_edited(self):
        def says(back, profile):
            self.tab.until(lambda: self.tab.one("#layer-banner button").text == f"Back to {back}", back)
            self.assertEqual(self.tab.one("#profile").get_property("value"), profile)

        self.choose("Profile travel")
        self.shows("profiles/travel.toml")
        says("your file", "")
        self.choose("Declared for this host")
        for profile in ["travel", ""]:
            self.home.cli("profile", APP, "use", profile or "--none")
            says("profile travel" if profile else "your file", profile)
            self.tab.reload()
            says("profile travel" if profile else "your file", profile)
        self.tab.one("#profile").choose("travel")
        says("profile travel", "travel")
        self.choose("Your file, below the profile")
        says("profile travel", "travel")
        self.tab.one("#profile").choose("No profile")
        says("your file", "")
        self.assertEqual(self.tab.js("return document.querySelector('#layer').selectedOptions[0].textContent"), "Your file, below the profile")

    def test_a_profile_is_chosen_while_another_file_is_edited(self):
        self.choose("Declared file 10-work")
        self.shows("settings.d/10-work.toml")
        self.tab.one("#profile").choose("travel")
        self.tab.until(lambda: "* travel" in self.home.cli("profile", APP, "list"), "active profile")
        self.tab.until(lambda: self.tab.one("#layer-banner button").text == "Back to profile travel", "way back")
        self.assertEqual(self.tab.one("#layer").get_property("value"), "drop-in:10-work")
        self.assertEqual(self.tab.value("name"), "Declared")
        self.tab.row("name", "input").type("Lin")
        # It is stored, although one's own file has another value, and so no question is asked.
        self.tab.until(lambda: "has no effect" in self.tab.message("name"), "message")
        self.assertEqual((self.folder / "settings.d/10-work.toml").read_text(), DROP_IN.replace("Declared", "Lin"))
        self.assertEqual((self.home.text(), (self.folder / "profiles/travel.toml").read_text()), (TEXT, 'theme = "dark"\n'))
        self.tab.click("#layer-banner button")
        self.shows("profiles/travel.toml")
        self.assertEqual((self.tab.one("#file-text").get_property("value"), self.tab.message("name")), ('theme = "dark"\n', ""))

    def test_what_a_higher_file_hides_is_stored_and_no_mistake(self):
        self.choose("Declared file 10-work")
        self.shows("settings.d/10-work.toml")
        file = self.folder / "settings.d/10-work.toml"
        for key, part, typed, stored in [("name", "input", "Lin", 'name = "Lin"'), ("columns", ".adder input", "90", "columns = [80, 90]")]:
            with self.subTest(key):
                self.tab.row(key, part).type(typed)
                self.tab.until(lambda: "has no effect" in self.tab.message(key), "message")
                self.assertIn(stored, file.read_text())
                self.assertEqual(self.tab.row(key, ".row-message").get_attribute("class"), "row-message warning")
                self.assertEqual(self.tab.row(key, part).get_property("value"), typed if key == "name" else "")
                self.assertIsNone(self.tab.row(key, part).get_attribute("aria-invalid"))
                self.assertEqual(self.tab.count("[data-draft]"), 0)

    def test_beside_another_file_nothing_is_said_of_changes_of_ones_own(self):
        self.home.cli("set", APP, "name", "Lin")
        self.tab.until(lambda: "settings-cli" in self.tab.row("name", ".row-meta").text, "author")
        self.choose("Declared file 10-work")
        self.shows("settings.d/10-work.toml")
        self.assertEqual(self.tab.row("name", ".row-meta").text, "")
        other = self.open()
        self.home.cli("set", APP, "size", "21")
        self.tab.js("document.querySelector('#live').textContent = ''")
        other.until(lambda: "settings-cli" in other.row("size", ".row-meta").text, "change")
        self.tab.rest()
        self.assertEqual((self.tab.row("size", ".row-meta").text, self.tab.one("#live").js("return element.textContent")), ("", ""))
        self.tab.click("#layer-banner button")
        for key in ["name", "size"]:
            self.tab.until(lambda: "settings-cli" in self.tab.row(key, ".row-meta").text, "author")

    def test_the_way_back_leaves_the_focus_in_the_page(self):
        self.choose("Administrators")
        self.tab.one("#layer-banner button").send_keys("\n")
        self.tab.until(lambda: not self.tab.one("#layer-banner").is_displayed(), "own file")
        self.assertNotEqual(self.tab.focused(), "BODY")

    def test_a_reload_stays_with_the_file(self):
        self.choose("Declared file 10-work")
        self.shows("settings.d/10-work.toml")
        self.tab.reload()
        self.shows("settings.d/10-work.toml")
        self.tab.until(lambda: self.tab.one("#layer").get_property("value") == "drop-in:10-work", "choice")

    def test_a_text_that_is_not_saved_keeps_its_file(self):
        self.tab.js("const area = document.querySelector('#file-text'); area.focus(); area.setSelectionRange(0, 0); document.execCommand('insertText', false, '#');")
        self.choose("Profile travel")
        self.tab.until(lambda: "not saved" in self.tab.one("dialog[open]").text, "question")
        self.tab.click("dialog[open] button", "Keep editing")
        self.assertEqual(self.tab.one("#layer").get_property("value"), "")
        self.shows(".config/org.example.editor/settings.toml")


class PastTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def test_a_former_text_is_shown_with_what_has_changed_since(self):
        self.home.cli("set", APP, "name", "Lin")
        self.home.cli("set", APP, "size", "33")
        self.tab.until(lambda: self.tab.value("name") == "Lin" and self.tab.value("size", "input[role=spinbutton]") == "33", "changes")
        self.tab.click("#past")
        self.tab.until(lambda: self.tab.count(".past-entry") == 2, "entries")
        newest, oldest = self.tab.texts(".past-entry")
        self.assertIn("size set", newest)
        self.assertIn("settings-cli", oldest)
        # The newest one is the text of now, so the one before it is shown.
        self.tab.until(lambda: "size = 0x0E" in self.tab.one(".past-text").text, "earlier text")
        self.assertIn('name = "Lin"', self.tab.one(".past-text").text)
        self.assertEqual(self.tab.texts(".past-view .removed"), ["-" + SIZE])
        self.assertEqual(self.tab.texts(".past-view .added"), ["+" + SIZE.replace("0x0E", "33")])
        self.assertNotIn("s3cret", self.tab.one(".past-text").text)
        self.tab.click(".past-entry")
        self.tab.until(lambda: "this is the text of now" in self.tab.one(".past-view").text, "text of now")
        self.assertEqual(self.home.text(), TEXT.replace("Grace", "Lin").replace("0x0E", "33"))

    def test_what_the_history_leaves_out_is_no_change(self):
        secret = next(line for line in TEXT.splitlines() if "s3cret" in line)
        self.home.write(self.home.file, TEXT.replace(secret, secret + "  # mine"))
        self.home.cli("set", APP, "size", "33")
        self.tab.click("#past")
        self.tab.until(lambda: "this is the text of now" in self.tab.one(".past-view").text, "text of now")
        self.tab.click("dialog button", "Close")
        # A change that the history has yet to hear of is one.
        self.home.write(self.home.file, self.home.text().replace("size = 33", "size = 34"))
        self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "34", "change")
        self.tab.click("#past")
        self.tab.until(lambda: len(self.tab.texts(".past-view .added")) == 1, "difference")
        self.assertEqual([line.split()[0] for line in self.tab.texts(".past-view .line:is(.added, .removed)")], ["-size", "+size"])

    def test_a_file_without_a_history_says_so(self):
        self.tab.click("#past")
        self.tab.until(lambda: "no entry yet" in self.tab.one("dialog").text, "note")

    def test_a_script_in_a_former_text_stays_text(self):
        self.home.cli("set", APP, "name", "<img src>")
        self.home.cli("set", APP, "name", "Lin")
        self.tab.until(lambda: self.tab.value("name") == "Lin", "changes")
        self.tab.click("#past")
        self.tab.until(lambda: "<img src>" in self.tab.one(".past-text").text, "earlier text")
        self.assertEqual(self.tab.count("dialog img"), 0)


class SecretTextTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def test_the_place_of_a_secret_says_what_it_is(self):
        self.tab.until(lambda: self.tab.js("return document.querySelector('.t-secret')?.textContent") == '"(secret – not shown)"', "painted place")
        self.assertIn("Secrets are not shown", self.tab.one("#file-state").text)
        # What is painted is as wide as what is edited, or the cursor would be elsewhere.
        self.assertEqual(len('"(secret – not shown)"'), len('"(not in the history)"'))
        self.assertIn('token = "(not in the history)"', self.tab.one("#file-text").get_property("value"))
        # So does the comparison with a text that another has saved.
        self.tab.js("""const area = document.querySelector('#file-text'); area.focus(); const at = area.value.indexOf('token');
            area.setSelectionRange(at, at); document.execCommand('insertText', false, '# Mine.\\n');""")
        self.home.cli("set", APP, "name", "Theirs")
        self.tab.click(".file-head .primary")
        self.tab.until(lambda: "# Mine." in self.tab.one("dialog[open] .diff").text, "comparison")
        self.assertIn('token = "(secret – not shown)"', self.tab.one("dialog[open] .diff").text)

    def draft_beside(self, theirs):
        """Types into the text, and stores another one in its place meanwhile."""
        text = 'size = 14\ntoken = "s3cret" # mine\nname = "x" # api-key = "5"\n'
        self.home.write(self.home.file, text)
        self.tab.until(lambda: "(not shown: 2)" in self.tab.one("#file-text").get_property("value"), "text")
        self.tab.js("""const area = document.querySelector('#file-text'); area.focus(); area.setSelectionRange(0, 9);
            document.execCommand('insertText', false, 'size = 15');""")
        self.home.write(self.home.file, theirs(text))
        self.tab.until(lambda: "changed meanwhile" in self.tab.one("#file-state").text, "notice")
        self.tab.click(".file-head .primary")
        self.tab.until(lambda: "size = 15" in self.tab.one("dialog[open] .diff").text, "comparison")
        return text.replace("size = 14", "size = 15")

    def test_what_is_not_shown_stays_at_its_place_when_another_has_changed_the_text(self):
        mine = self.draft_beside(lambda text: text.replace("token", '# token = "old"\ntoken'))
        self.tab.click("dialog[open] button", "Save mine")
        self.tab.until(lambda: self.home.text() == mine, "text with each comment at its place")

    def test_a_text_is_not_saved_over_what_is_not_shown_any_more(self):
        self.draft_beside(lambda text: text.replace("# mine", ""))
        self.assertFalse(self.tab.one("dialog[open] .primary").is_enabled())
        self.assertIn("not shown has changed", self.tab.one("dialog[open]").text)
