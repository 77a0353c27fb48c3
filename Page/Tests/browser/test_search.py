"""The search: words, typos, and filters."""

from harness import APP, PageTest
from test_controls import SCHEMA, TEXT


class SearchTest(PageTest):
    schema = SCHEMA
    text = TEXT
    system = 'settings-locked = ["count"]\ncount = 1\n'

    def setUp(self):
        super().setUp()
        # High enough for all settings, so that what is found is all in the document.
        self.tab.show(1440, 4000)
        self.tab.until(lambda: self.tab.count(".row") == self.tab.js("return import('/model.js').then(({ model }) => model.doc.keys.length)"), "all settings")
        self.tab.rest()

    def found(self, words):
        return self.tab.one("#search").js("""[element.value] = given; element.dispatchEvent(new Event('input'));
            return [...document.querySelectorAll('.row')].map((row) => row.dataset.key)""", words)

    def test_words_are_found_in_names_descriptions_and_values(self):
        self.assertEqual(self.found("rat"), ["ratio"])
        self.assertEqual(self.found("font points"), ["size"])
        self.assertEqual(self.found("Grace"), ["name"])
        self.assertEqual(self.found("zebra crossing"), [])

    def test_elements_are_found_as_they_are_shown(self):
        self.home.cli("set", APP, "--create", "extra", r"""["C:\\Users", 'say "hi"', ["beta gamma"]]""")
        self.tab.until(lambda: self.found("users") == ["extra"], "value")
        for words in [r"C:\Users", 'say "hi"', "beta gamma"]:
            self.assertEqual(self.found(words), ["extra"], words)
            self.assertIn(words, self.tab.row("extra", ".row-hit").text)

    def test_a_dotted_path_into_a_table_is_found(self):
        self.home.cli("set", APP, 'bindings."a.B"', "quit")
        self.tab.until(lambda: "a.B" in self.tab.row("bindings", ".row-control").text, "value")
        for words in ['bindings."a.b"', 'Bindings."A', "bindings."]:
            self.assertEqual(self.found(words), ["bindings"], words)
        self.assertEqual(self.marks("bindings")[:2], ["Bindings", "bindings"])

    def test_letters_with_accents_are_found_in_either_form(self):
        self.home.cli("set", APP, "name", "Cafe\u0301")
        self.tab.until(lambda: self.tab.value("name") == "Cafe\u0301", "change")
        for words in ["caf\u00e9", "CAFE\u0301"]:
            self.assertEqual(self.found(words), ["name"], words)
            self.assertEqual(self.marks("name"), ["Caf\u00e9"])

    def test_an_invalid_list_is_found_by_what_the_file_has(self):
        self.home.write(self.home.file, TEXT.replace("columns", 'columns = ["eighty", 5]\n#', 1))
        self.tab.until(lambda: "eighty" in self.tab.value("columns"), "text of the list")
        self.assertEqual(self.found("eighty"), ["columns"])
        self.assertIn("eighty", self.tab.row("columns", ".row-hit").text)

    def test_mistyped_words_are_found(self):
        self.assertEqual(self.found("acent")[0], "accent")
        self.assertEqual(self.found("langauge")[0], "language")
        self.assertIn("similar", self.tab.one("#count").text)

    def marks(self, key):
        return self.tab.js("return [...document.querySelectorAll(`.row[data-key='${arguments[0]}'] mark`)].map((mark) => mark.textContent)", key)

    def test_what_is_found_is_marked_in_names_descriptions_and_values(self):
        self.found("SIZ fon")
        self.assertEqual(self.marks("size"), ["Siz", "Siz", "fon", "siz"])
        self.found("grac")
        self.assertEqual(self.tab.row("name", ".row-hit").text, "Value: Grace")
        self.assertEqual(self.marks("name"), ["Grac"])
        self.found("acent")
        self.assertIn("accent", self.marks("accent"))
        self.found("")
        self.assertEqual(self.tab.count("mark"), 0)
        self.assertEqual(self.tab.js("return [...document.querySelectorAll('.row-hit')].filter((hit) => hit.checkVisibility()).length"), 0)

    def test_marks_are_no_markup_and_know_no_patterns(self):
        self.home.cli("set", APP, "name", "<b>.*</b>")
        self.tab.until(lambda: self.tab.value("name") == "<b>.*</b>", "change")
        self.found(".*")
        self.assertEqual(self.marks("name"), [".*"])
        self.found("<b>")
        self.assertEqual(self.marks("name"), ["<b>"])
        self.assertEqual(self.tab.count(".row b"), 0)

    def test_a_search_that_grows_and_shrinks_finds_what_a_new_one_finds(self):
        for words in ["s", "si", "siz", "size", "sizes", "size", "s", "se", "set fo", "fo", "on", "o"]:
            grown, new = self.tab.js("""return import('/search.js').then((module) => {
                const names = () => module.search(arguments[0]).keys.map((key) => key.key);
                const grown = names();
                module.forget();
                return [grown, names()];
            })""", words)
            self.assertEqual(grown, new, words)

    def test_filters_choose(self):
        self.assertEqual(self.found("@locked"), ["count"])
        self.assertEqual(self.found("@secret"), ["token"])
        self.assertEqual(self.found("@layer:system"), ["count"])
        self.assertIn("accent", self.found("@modified"))
        self.assertNotIn("count", self.found("@modified"))
        self.assertEqual(self.found("@modified acc"), ["accent"])
        self.found("@nonsense")
        self.assertIn("no filter", self.tab.one("#count").text)

    def test_what_has_changed_since_is_found(self):
        self.home.cli("set", APP, "size", "33")
        self.found("@since:1h")
        self.tab.until(lambda: self.found("@since:1h") == ["size"], "changed key")

    def test_a_history_that_has_no_answer_is_not_an_empty_one(self):
        self.server.end()
        self.found("@since:1h")
        self.tab.until(lambda: "does not answer" in self.tab.one("#count").text, "message")
        self.found("")
        self.tab.press("size", ".more")
        self.tab.until(lambda: "does not answer" in self.tab.row("size", ".past").text, "message")

    def test_a_problem_is_found(self):
        self.home.write(self.home.file, TEXT.replace("0x0E", "1000"))
        self.tab.until(lambda: "size" in self.found("@problem"), "problem")

    def test_the_values_of_secrets_are_not_searched(self):
        self.assertEqual(self.found("s3cret"), [])

    def test_what_is_found_is_copied_as_commands_and_as_a_file(self):
        self.found("accent")
        self.tab.tool("#copy")
        area = self.tab.one("dialog .copy-text")
        self.tab.until(lambda: "ratio" in area.get_property("value"), "all settings")
        self.assertNotIn("s3cret", area.get_property("value"))
        self.tab.js("document.querySelector('dialog input[value=shown]').click()")
        self.tab.until(lambda: area.get_property("value") == f"settings-cli set {APP} 'accent=#3a7d5c' --type string\n", "command")
        self.tab.js("document.querySelector('dialog input[value=drop-in]').click()")
        self.tab.until(lambda: area.get_property("value") == 'accent = "#3a7d5c"\n', "file")

    def test_a_setting_is_copied_as_a_command(self):
        self.tab.press("accent", ".more")
        self.tab.until(lambda: "no change" in self.tab.row("accent", ".past").text, "history")
        asked = "return performance.getEntriesByType('resource').some(({ name }) => name.includes('/drop-in'))"
        self.assertFalse(self.tab.js(asked))
        button = self.tab.row("accent", ".detail-tools button")
        # Some browsers refuse what does not begin with the click itself.
        self.tab.js("""
            navigator.clipboard.write = async ([item]) => {
              window.isOfClick = isClick;
              window.copied = await (await item.getType("text/plain")).text();
            };
            window.isClick = false;
            document.addEventListener("click", () => { isClick = true; setTimeout(() => { isClick = false; }); }, true);""")
        button.click()
        self.tab.until(lambda: self.tab.js("return window.copied") == f"settings-cli set {APP} 'accent=#3a7d5c' --type string", "copy")
        self.assertTrue(self.tab.js("return window.isOfClick"))

    def test_what_a_copy_of_the_file_leaves_out_is_said(self):
        self.home.write(self.home.file, TEXT.replace("0x0E", "1000"))
        self.tab.until(lambda: "size" in self.found("@problem"), "problem")
        self.tab.tool("#copy")
        area = self.tab.one("dialog .copy-text")
        self.tab.until(lambda: "ratio" in area.get_property("value"), "all settings")
        self.assertNotIn("1000", area.get_property("value"))
        self.assertEqual(self.tab.one("dialog .copy-text + p").text, "1 secret is left out. 1 invalid value is left out.")

    def test_a_file_of_what_is_found_says_the_version_of_its_keys(self):
        steps = '[[migrations]]\nversion = 2\nname = "call size width"\nsteps = [{ rename = "size", to = "width" }]\n'
        self.home.write(self.home.schema, SCHEMA.replace("schema-version = 1", f"schema-version = 1\n{steps}"))
        self.tab.until(lambda: self.tab.js("return import('/model.js').then(({ model }) => model.doc.schema.version)") == 2, "schema")
        self.found("accent")
        self.tab.tool("#copy")
        for name in ["shown", "drop-in"]:
            self.tab.js(f"document.querySelector('dialog input[value={name}]').click()")
        area = self.tab.one("dialog .copy-text")
        self.tab.until(lambda: area.get_property("value") == 'settings-version = 2\naccent = "#3a7d5c"\n', "file")
