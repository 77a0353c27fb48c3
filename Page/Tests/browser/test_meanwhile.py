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
