"""A text with line breaks is one element of a list, with its line breaks."""

from harness import ActionChains, Keys
from test_hands import HandsTest


class LinesTest(HandsTest):
    def paste(self, element, text):
        element.js("element.focus(); element.select()")
        element.paste(text)

    def store(self):
        ActionChains(self.tab.driver).key_down(Keys.CONTROL).send_keys(Keys.ENTER).key_up(Keys.CONTROL).perform()

    def test_line_breaks_are_pasted_into_an_element(self):
        self.paste(self.field("words", ".item:nth-child(1) input"), "p1\np2")
        self.assertEqual(self.field("words", ".item:nth-child(1) textarea").get_property("value"), "p1\np2")
        self.assertEqual(self.tab.focused(), "Element 1")
        self.store()
        self.wait_for_text('words = ["p1\\np2", "two"]')
        self.tab.rest()
        self.assertEqual(self.tab.focused(), "Element 1")

    def test_line_breaks_are_pasted_into_a_new_element(self):
        self.paste(self.field("words", ".adder input"), "x\r\ny\nz")
        self.assertEqual(self.tab.focused(), "New element")
        self.assertEqual(self.field("words", ".adder textarea").get_property("value"), "x\ny\nz")
        self.store()
        self.wait_for_text('words = ["one", "two", "x\\ny\\nz"]')
        self.tab.until(lambda: self.tab.count("[data-key=words] .adder input") == 1, "field of one line")
        self.assertEqual(self.tab.focused(), "New element")
        self.tab.type("three", Keys.ENTER)
        self.wait_for_text('"x\\ny\\nz", "three"]')

    def test_an_element_of_several_lines_is_given_up(self):
        for place in [".item:nth-child(1)", ".adder"]:
            with self.subTest(place):
                self.paste(self.field("words", f"{place} input"), "p1\np2")
                self.tab.keys(Keys.ESCAPE)
                self.assertEqual(self.field("words", f"{place} input").get_property("value"), "one" if "item" in place else "")
                self.leave()
                self.idle()
        self.assertNotIn("p1", self.home.text())
        self.assertEqual(self.tab.message("words"), "")

    def test_an_element_of_several_lines_is_stored_when_it_is_left(self):
        self.into("words", ".item:nth-child(2) input")
        self.tab.keys(Keys.END)
        ActionChains(self.tab.driver).key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).perform()
        self.tab.type("more", Keys.ENTER, "lines")
        self.assertEqual(self.entries(), 0)
        self.leave()
        self.wait_for_text('words = ["one", "two\\nmore\\nlines"]')

    def test_an_element_of_a_number_takes_no_second_line(self):
        self.paste(self.field("columns", ".item:nth-child(1) input"), "1\n2")
        self.assertEqual(self.tab.count("[data-key=columns] textarea"), 0)
