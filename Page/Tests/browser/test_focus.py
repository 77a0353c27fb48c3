"""The keyboard alone: whatever is pressed, the focus is at something that one can go on with, and not at the page's top."""

from harness import APP, Element, Keys, PageTest

SCHEMA = '''
app = "org.example.editor"
schema-version = 1

[keys.theme]
type = "string"
[keys.size]
type = "integer"
maximum = 72
[keys.flag]
type = "boolean"
[keys."window.width"]
type = "integer"
'''

TEXT = '''theme = "dark"
size = 14
flag = true
[extra]
a = 1
[other]
b = 2
[window]
width = 3
'''


class KeptFocusTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def focus(self, element):
        element.wait()
        element.js("element.focus()")

    def press(self, element):
        self.focus(element)
        self.tab.keys(Keys.ENTER)
        self.tab.rest()

    def named(self, selector, text):
        return Element(self.tab, selector, text)

    def set(self, key, value):
        """Has another program store a value, and waits until the page shows it."""
        self.home.cli("set", APP, key, value)
        self.tab.until(lambda: self.tab.value(key) == value, "change")
        self.tab.rest()

    def test_what_is_pressed_and_goes_gives_the_focus_on(self):
        self.press(self.named(".notices button", "Remove it"))
        self.wait_for_text("[other]", absent=["[extra]"])
        self.assertEqual(self.tab.js("return document.activeElement.textContent"), "Remove it")
        self.press(self.named(".notices button", "Remove it"))
        self.wait_for_text(absent=["[other]"])
        self.assertNotEqual(self.tab.focused(), "BODY")

        self.focus(self.tab.one("#file-text"))
        self.tab.type("#")
        self.press(self.named("#file button", "Discard"))
        self.assertEqual(self.tab.focused(), "Text of the file")

        for value, button in [("30", "Keep it"), ("31", "Take it back now")]:
            self.tab.tool("#try")
            self.tab.row("size", "input[role=spinbutton]").type(value)
            self.press(self.named("#trial button", button))
            self.tab.until(lambda: self.tab.count("#trial .notice") == 0, "end")
            self.assertEqual(self.tab.focused(), "size")

        self.tab.press("theme", ".more")
        for value in "ab":
            self.tab.row("theme", ".row-control input").type(value)
            self.wait_for_text(f'theme = "{value}"')
        self.press(self.tab.row("theme", ".history button"))
        self.wait_for_text('theme = "a"')
        self.tab.until(lambda: self.tab.row("theme", ".history").text.count("→") > 2, "entry")
        self.assertNotIn(self.tab.focused(), ["BODY", "settings"])

    def test_what_is_shown_next_has_the_focus(self):
        self.press(self.tab.one("#all-apps"))
        self.tab.one(".app").wait()
        self.assertEqual(self.tab.focused(), "settings")
        self.press(self.tab.one(".app"))
        self.tab.wait_until_live(APP)
        self.assertEqual(self.tab.focused(), "settings")
        self.tab.one("#search").send_keys("nothing like it")
        self.press(self.named("#empty button", "Search all apps"))
        self.tab.until(lambda: self.tab.focused() == "Search settings", "focus")

    def test_a_dialog_gives_the_focus_back_to_what_has_opened_it(self):
        for tool in ["#copy", "#help"]:
            self.press(self.tab.one("#more"))
            self.press(self.tab.one(tool))
            self.tab.until(lambda: self.tab.count("dialog[open]") == 1, "dialog")
            self.tab.keys(Keys.ESCAPE)
            self.tab.until(lambda: self.tab.count("dialog") == 0, "end of the dialog")
            self.assertEqual(self.tab.focused(), "More")

    def test_what_another_changes_takes_the_focus_from_nothing(self):
        places = [self.tab.one("#filters button"), self.tab.one("#groups li:last-child button"), self.named(".notices button", "Remove it")]
        for at, element in enumerate(places):
            self.focus(element)
            before = self.tab.js("return document.activeElement.dataset.name ?? document.activeElement.textContent")
            self.set("size", str(20 + at))
            self.assertEqual(self.tab.js("return document.activeElement.dataset.name ?? document.activeElement.textContent"), before)

    def test_the_difference_of_a_migration_stays_open(self):
        steps = '[[migrations]]\nversion = 2\nname = "call it"\nsteps = [{ rename = "other", to = "another" }]\n'
        self.home.write(self.home.schema, SCHEMA.replace("schema-version = 1", f"schema-version = 1\n{steps}"))
        self.press(self.tab.one(".notices summary"))
        self.assertTrue(self.tab.one(".notices details").get_property("open"))
        self.home.write(self.home.file, TEXT.replace("14", "15"))
        self.tab.until(lambda: self.tab.value("size") == "15", "change")
        self.assertTrue(self.tab.one(".notices details").get_property("open"))
