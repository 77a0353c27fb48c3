"""Long lists and many records: those near the screen are in the document, and nothing that a person does with them is lost."""

from harness import APP, Keys, PageTest, read

SCHEMA = '''
app = "org.example.editor"
schema-version = 1
[keys.name]
type = "string"
[keys.words]
type = "array"
elements = { type = "string" }
[keys.places]
type = "records"
fields = { url = { type = "string" }, port = { type = "integer", minimum = 1, maximum = 65535 }, secure = { type = "boolean", default = true } }
'''
WORDS = 10_000
PLACES = 5_000


def text(word=0):
    words = ", ".join(f'"word {at + word}"' for at in range(WORDS))
    return f'name = "Grace"\nwords = [{words}]\n' + "".join(
        f'\n[places.place-{at}]\nurl = "https://{at}.example.org/"\nport = {at + 1}\n' for at in range(PLACES))


class ScaleTest(PageTest):
    schema = SCHEMA
    text = text()

    def to(self, key, selector, part):
        """Scrolls to a part of a list."""
        self.tab.row(key).js("const [selector, part] = given; const box = element.querySelector(selector).parentNode; box.scrollTop = part * box.scrollHeight;", selector, part)
        self.tab.rest()

    def test_a_long_list_is_edited_anywhere_and_only_what_is_near_is_in_the_document(self):
        self.to("words", ".items", 0)
        self.assertLess(self.tab.count(".item"), 100)
        self.to("words", ".items", 0.5)
        field = self.tab.one(".item [aria-label='Element 5001']")
        field.type("changed")
        self.tab.until(lambda: read(self.home, "words")[5000] == "changed", "value in the file")
        self.assertEqual(self.home.text(), self.text.replace('"word 5000"', '"changed"'))
        # What is typed stays wherever one scrolls.
        self.tab.one(".item [aria-label='Element 5003']").type("draft", key="")
        self.to("words", ".items", 1)
        self.tab.one(".item [aria-label='Element 10000']").wait()
        self.assertLess(self.tab.count(".item"), 120)
        self.assertEqual(self.tab.js("return document.activeElement.value"), "draft")
        self.tab.keys(Keys.ENTER)
        self.tab.until(lambda: read(self.home, "words")[5002] == "draft", "value in the file")
        self.tab.row("words", ".adder input").type("last")
        self.tab.until(lambda: read(self.home, "words")[-1] == "last", "new element")
        self.tab.one(".item [aria-label='Element 10001']").wait()

    def test_many_records_are_edited_anywhere_and_only_those_near_are_in_the_document(self):
        self.to("places", ".records", 0.5)
        self.assertLess(self.tab.count(".record"), 40)
        name = self.tab.js("""return [...document.querySelectorAll('.record')].find((one) => one.getBoundingClientRect().top > 200).getAttribute('aria-label')""")
        number = int(name.split("-")[1])
        self.assertTrue(1500 < number < 3500, name)
        self.tab.one(f".record[aria-label='{name}'] input[role=spinbutton]").type("7")
        self.tab.until(lambda: f'{number}.example.org/"\nport = 7\n' in self.home.text(), "value in the file")
        self.tab.menu(name, f"Remove {name}")
        self.tab.until(lambda: f"[places.{name}]" not in self.home.text(), "removed record")
        self.tab.rest()
        self.assertEqual(self.tab.js("return document.activeElement.closest('.record')?.getAttribute('aria-label')"), f"place-{number + 1}")
        self.tab.row("places", ".records-box > .adder input").type("new")
        self.tab.one(".record[aria-label=new]").wait()
        self.assertIn("[places.new]", self.home.text())

    def test_a_change_from_outside_shows(self):
        self.home.write(self.home.file, text(1))
        self.tab.until(lambda: '"word 10000"' in self.tab.one("#file-text").get_property("value"), "text")
        self.to("words", ".items", 0)
        self.tab.until(lambda: self.tab.one(".item [aria-label='Element 1']").get_property("value") == "word 1", "first element")
