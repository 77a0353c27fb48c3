"""What a schema and a file hold is text: no script in it runs. And a secret is nowhere in the browser."""

import json

from harness import APP, JavascriptException, PageTest

ATTACKS = [
    "<script>window.hit = 1</script>", "<img src=x onerror=window.hit=1>", "\\\"><svg onload=window.hit=1>", "javascript:window.hit=1",
    "{{constructor.constructor('window.hit=1')()}}", "</textarea><script>window.hit=1</script>",
]
ALL = " ".join(ATTACKS)

SCHEMA = f'''
app = "org.example.editor"
schema-version = 1
[groups."'{ATTACKS[0]}'"]
description = "{ALL}"
[keys."'{ATTACKS[0]}'"]
type = "string"
default = "{ALL}"
description = "{ALL}"
group = "'{ATTACKS[0]}'"
formerly = ["'{ATTACKS[1]}'"]
[keys.choice]
type = "string"
choices = ["{ATTACKS[0]}", "{ATTACKS[1]}"]
[keys.many]
type = "string"
choices = ["{ATTACKS[0]}", "{ATTACKS[1]}", "a", "b", "c", "d"]
[keys.words]
type = "array"
elements = {{ type = "string" }}
[keys.places]
type = "records"
fields = {{ "{ATTACKS[1]}" = {{ type = "string" }} }}
[keys.__proto__]
type = "string"
description = "A name that JavaScript knows."
[keys.table]
type = "table"
[[migrations]]
version = 2
name = "{ATTACKS[1]}"
steps = [{{ rename = "a1", to = "choice" }}]
'''

TEXT = f'''# {ATTACKS[0]}
"{ATTACKS[0]}" = "{ALL}"  # {ATTACKS[1]}
choice = "{ATTACKS[2]}"
"unknown {ATTACKS[1]}" = "{ATTACKS[1]}"
words = ["{ATTACKS[0]}", "{ATTACKS[1]}"]
__proto__ = "polluted"
[places."{ATTACKS[1]}"]
"{ATTACKS[1]}" = "{ATTACKS[0]}"
[table]
constructor = "{ATTACKS[1]}"
__proto__ = "{ATTACKS[0]}"
'''


class ScriptTest(PageTest):
    schema = SCHEMA
    text = TEXT
    system = f'''settings-locked = [{{ key = "many", reason = "{ALL}" }}]
many = "{ATTACKS[1]}"
'''

    def test_no_script_in_any_text_runs(self):
        tab = self.tab
        tab.row("choice").wait()
        tab.rest()
        tab.js("for (const more of document.querySelectorAll('.row .more')) more.click()")
        tab.js("for (const details of document.querySelectorAll('details')) details.open = true")
        self.home.cli("set", APP, "words", json.dumps(ATTACKS))
        tab.until(lambda: tab.count("[data-key=words] .item") == len(ATTACKS), "list")
        tab.js("const field = document.querySelector('#search'); field.value = arguments[0]; field.dispatchEvent(new Event('input'))", ATTACKS[0])
        tab.tool("#copy")
        tab.until(lambda: "script" in tab.one(".copy-text").get_property("value"), "commands")
        tab.js("document.querySelector('dialog').close()")
        self.home.write(self.home.file, f'{ATTACKS[1]} = {ATTACKS[0]}')
        tab.until(lambda: tab.count(".notice.error"), "notice")
        tab.rest()
        self.assertIsNone(tab.js("return window.hit ?? null"))
        self.assertIsNone(tab.js("return ({}).polluted ?? null"))
        self.assertEqual(tab.js("return document.querySelectorAll('main script, main img, #file script, #file img').length"), 0)
        self.assertFalse([line for line in tab.log() if "Content Security Policy" in line])

    def test_markup_cannot_be_set_at_all(self):
        with self.assertRaises(JavascriptException):
            self.tab.js("document.body.innerHTML = '<img src=x onerror=window.hit=1>'")
        with self.assertRaises(JavascriptException):
            self.tab.js("document.body.setAttribute('onclick', 'window.hit = 1')")
        self.assertIsNone(self.tab.js("return window.hit ?? null"))


class SecretTest(PageTest):
    schema = '''
app = "org.example.editor"
schema-version = 1
[keys.token]
type = "string"
secret = true
[keys.name]
type = "string"
'''
    text = 'name = "Ada"\ntoken = "old-s3cret"\n'

    def test_a_secret_is_nowhere_in_the_browser(self):
        tab = self.tab
        tab.row("token", "input").type("new-s3cret")
        self.wait_for_text("new-s3cret")
        tab.until(lambda: not tab.row("token").get_attribute("aria-busy"), "end of the request")
        self.assert_nowhere()
        tab.press("token", ".more")
        tab.reload()
        self.assert_nowhere()
        self.home.write(self.home.file, self.text.replace("old-s3cret", "odd-s3cret"))
        self.home.cli("set", APP, "name", "Lin")
        tab.until(lambda: tab.value("name") == "Lin", "change")
        self.assert_nowhere()

    def assert_nowhere(self):
        found = self.tab.js("""
            const texts = [document.documentElement.outerHTML, JSON.stringify({ ...sessionStorage }), JSON.stringify({ ...localStorage }), document.cookie, location.href];
            for (const field of document.querySelectorAll('input, textarea')) texts.push(field.value);
            return texts.join('\\n')""")
        self.assertNotIn("s3cret", found)

    def test_the_address_opens_nothing_a_second_time(self):
        self.assertNotIn("#", self.tab.js("return location.href"))
        token = self.tab.js("return JSON.parse(sessionStorage.getItem('settings-page')).token")
        self.assertNotIn(token, self.server.url)
        # In this browser, another tab has what it needs from the first one.
        self.open()
        code = self.server.url.split("#code=")[1].split("&")[0]
        # What the history of the browser has is worth nothing to another one.
        for one in [code, "wrong"]:
            self.assertEqual(self.tab.js("""return fetch("/api/session", { method: "POST", headers: { "Content-Type": "application/json" },
                body: JSON.stringify({ code: arguments[0] }) }).then((answer) => answer.status)""", one), 401)

    def test_an_address_without_a_code_says_what_to_do(self):
        self.server.keep_alive(self.tab.js("return JSON.parse(sessionStorage.getItem('settings-page')).token"))
        self.tab.js("sessionStorage.clear()")
        # Another browser would have none of this tab's worker.
        self.tab.without_worker()
        self.tab.driver.get("about:blank")
        self.tab.driver.get(self.server.url)
        self.tab.until(lambda: "This address was used already. Run 'settings-cli page'" in self.tab.one("#list").text, "message")

    def test_no_cookie_is_set(self):
        self.assertEqual(self.tab.js("return document.cookie"), "")
        self.tab.reload()
        self.assertEqual(self.tab.value("name"), "Ada")
