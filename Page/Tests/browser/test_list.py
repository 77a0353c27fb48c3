"""A long list: only what is near the screen is in the document, and nothing that a person does is lost by that."""

from harness import Keys, PageTest

SCHEMA = 'app = "org.example.editor"\nschema-version = 1\n' + "".join(
    f'[keys."group-{at // 50}.key-{at}"]\ntype = "integer"\ndefault = {at}\ndescription = "Number {at}."\n' for at in range(1000))


class ListTest(PageTest):
    schema = SCHEMA
    text = "# Mine.\n"

    def to(self, part):
        self.tab.js("const main = document.querySelector('#settings'); main.scrollTop = arguments[0] * main.scrollHeight", part)

    def rows(self):
        return self.tab.js("return [...document.querySelectorAll('.row')].map((row) => row.dataset.key)")

    def on_screen(self):
        return self.tab.js("""return [...document.querySelectorAll('.row')].filter((row) => { const box = row.getBoundingClientRect();
            return box.bottom > 150 && box.top < innerHeight; }).map((row) => row.dataset.key)""")

    def test_every_place_of_the_list_is_shown_and_little_else(self):
        for part in [0, 0.3, 0.5, 0.9, 1, 0.2, 0]:
            self.to(part)
            # The rows on the screen follow each other without a gap.
            self.tab.until(lambda: self.tab.js("""const shown = [...document.querySelectorAll('#list > :not(.space)')].map((one) => one.getBoundingClientRect())
                .filter((box) => box.bottom > 60 && box.top < innerHeight);
                return shown.length > 4 && shown.at(-1).bottom >= innerHeight - 80 && shown.every((box, at) => at === 0 || Math.abs(box.top - shown[at - 1].bottom) < 1)"""),
                f"full screen at {part}")
            self.assertLess(len(self.rows()), 60)
        self.assertEqual(self.on_screen()[0], "group-0.key-0")
        self.to(1)
        self.tab.until(lambda: "group-19.key-999" in self.on_screen(), "last setting")

    def test_what_is_typed_and_what_is_open_stays_while_the_list_moves(self):
        self.tab.press("group-0.key-1", ".more")
        field = self.tab.row("group-0.key-0", "input")
        field.type("77", key="")
        self.to(0.8)
        self.tab.until(lambda: any(key > "group-10" for key in self.on_screen()), "another place")
        self.assertEqual(field.get_property("value"), "77")
        self.assertEqual(self.tab.js("return document.activeElement.value"), "77")
        self.tab.keys(Keys.ENTER)
        self.wait_for_text("key-0 = 77")
        self.to(0)
        self.tab.until(lambda: "group-0.key-1" in self.on_screen(), "first place")
        self.assertTrue(self.tab.row("group-0.key-1", ".row-details").is_displayed())

    def test_what_is_typed_stays_when_a_setting_comes_while_it_is_off_the_screen(self):
        field = self.tab.row("group-0.key-0", "input")
        field.type("77", key="")
        self.to(0.8)
        self.tab.until(lambda: any(key > "group-10" for key in self.on_screen()), "another place")
        self.home.write(self.home.file, "another = 1\n")
        self.tab.until(lambda: "another" in self.tab.js("return document.querySelector('#file-text').value"), "change")
        self.tab.rest()
        self.assertEqual(self.tab.js("return document.activeElement.value"), "77")
        self.assertEqual(self.home.text(), "another = 1\n")
        self.tab.keys(Keys.ENTER)
        self.wait_for_text("key-0 = 77")

    def test_a_change_keeps_the_place(self):
        self.to(0.5)
        self.tab.until(lambda: len(self.on_screen()) > 4 and self.on_screen()[0] > "group-0.key-9", "the middle")
        self.tab.rest()
        before = self.on_screen()
        self.home.write(self.home.file, "[group-0]\nkey-3 = 5\n")
        self.tab.until(lambda: "key-3 = 5" in self.tab.js("return document.querySelector('#file-text').value"), "change")
        self.tab.rest()
        self.assertEqual(self.on_screen(), before)

    def test_a_group_is_gone_to(self):
        self.tab.click(".group-link", "Group 17")
        self.tab.until(lambda: "group-17.key-850" in self.on_screen(), "its first setting")
        self.assertEqual(self.tab.js("return document.activeElement.dataset.key"), "group-17.key-850")
