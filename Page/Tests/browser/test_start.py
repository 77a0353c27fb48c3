"""The page without an app: all apps, and what `settings-cli find` finds."""

from harness import APP, PageTest, Server, Tab
from test_controls import SCHEMA, TEXT


class StartTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def prepare(self):
        self.home.write(self.home.path / ".config/org.example.viewer/settings.toml", "zoom = 2\n")

    def test_all_apps_are_listed_searched_and_opened(self):
        self.tab.click("#all-apps")
        self.tab.until(lambda: [app.split("\n")[0] for app in self.tab.texts(".app")] == [APP, "org.example.viewer"], "both apps")
        self.tab.click(".app", "viewer")
        self.tab.until(lambda: self.tab.value("zoom") == "2", "its settings")
        self.tab.click("#all-apps")
        self.tab.until(lambda: self.tab.count(".app") == 2, "both apps")
        self.tab.one("#search").send_keys("accent")
        self.tab.click(".app", "accent")
        self.tab.until(lambda: self.tab.count(".row.selected[data-key=accent]"), "the setting that was found")

    def test_a_browser_without_scripts_is_told_at_the_top(self):
        self.tab.focus().driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        self.tab.driver.refresh()
        said = self.tab.driver.find_element("css selector", "noscript").rect
        self.assertTrue(said["height"] > 0 and said["y"] < 100, said)

    def test_a_search_that_has_no_answer_says_so(self):
        self.tab.click("#all-apps")
        self.tab.one(".app").wait()
        self.server.end()
        self.tab.one("#search").send_keys("accent")
        self.tab.until(lambda: "does not answer" in self.tab.one("#list").text, "message")
        self.assertEqual(self.tab.one("#count").text, "")

    def test_a_change_of_another_app_by_another_program_is_not_ones_own(self):
        viewer = "org.example.viewer"
        self.home.write(self.home.schema.with_name(f"{viewer}.toml"), f'app = "{viewer}"\nschema-version = 1\n[keys.zoom]\ntype = "integer"\n')
        for value in ["20", "21"]:
            self.tab.row("size", "input[role=spinbutton]").type(value)
            self.wait_for_text(f"size = {value}")
        self.tab.click("#all-apps")
        self.tab.click(".app", viewer)
        self.tab.wait_until_live(viewer)
        for value in ["3", "4"]:
            self.home.cli("set", viewer, "zoom", value)
            self.tab.until(lambda: self.tab.value("zoom") == value, "change")
        self.tab.until(lambda: "settings-cli" in self.tab.row("zoom", ".row-meta").text, "author")
        self.tab.press("zoom", ".more")
        self.tab.until(lambda: "3 → 4" in self.tab.row("zoom", ".history").text, "history")
        self.assertNotIn("you, here", self.tab.row("zoom").text)

    def test_the_same_app_opens_again(self):
        self.tab.click("#all-apps")
        self.tab.click(".app", APP)
        self.tab.until(lambda: self.tab.value("name") == "Grace", "settings")

    def test_what_has_changed_in_one_app_has_not_in_another(self):
        self.home.write(self.home.path / ".config/org.example.viewer/settings.toml", "size = 2\n")
        self.home.cli("set", APP, "size", "20")
        self.tab.js("""const send = fetch;
            window.fetch = async (path, options) => {
                if (path.includes("/history") && !window.go) await new Promise((done) => { window.go = done; });
                return send(path, options);
            };
            window.search = (text) => { const field = document.querySelector("#search"); field.value = text; field.dispatchEvent(new Event("input")); };
            search("@since:1h");""")
        self.tab.until(lambda: self.tab.js("return Boolean(window.go)"), "question")
        self.tab.js("document.querySelector('#all-apps').click()")
        self.tab.until(lambda: self.tab.js("return document.querySelectorAll('.app').length") == 2, "both apps")
        self.tab.js("document.querySelectorAll('.app')[1].click()")
        self.tab.until(lambda: self.tab.js("return document.documentElement.dataset.live") == "org.example.viewer", "other app")
        self.tab.js("search('@since:1h')")
        self.tab.until(lambda: self.tab.js("return document.querySelector('#count').textContent") == "Nothing found", "answer")
        self.tab.js("window.go()")
        self.tab.rest()
        self.assertEqual(self.tab.one("#count").text, "Nothing found")

    def test_what_is_found_late_does_not_replace_an_app(self):
        self.tab.click("#all-apps")
        self.tab.one(".app").wait()
        self.hold("path.startsWith('/api/find')")
        self.tab.js("const field = document.querySelector('#search'); field.value = 'accent'; field.dispatchEvent(new Event('input'))")
        self.tab.until(lambda: self.tab.js("return window.held.length > 0"), "search")
        self.tab.js("document.querySelector('.app').click()")
        self.tab.wait_until_live(APP)
        self.let_go()
        self.assertEqual(self.tab.value("name"), "Grace")
        self.tab.rest()
        self.assertEqual(self.tab.count(".app"), 0)

    def test_apps_that_are_listed_late_do_not_replace_what_is_found(self):
        self.tab.click("#all-apps")
        self.tab.one(".app").wait()
        self.hold("path === '/api/apps'")
        self.tab.js("""window.search = (text) => { const field = document.querySelector("#search"); field.value = text; field.dispatchEvent(new Event("input")); };
            search("");""")
        self.tab.until(lambda: self.tab.js("return window.held.length > 0"), "question for all apps")
        self.tab.js("search('accent')")
        self.tab.until(lambda: self.tab.js("return document.querySelector('.app code')?.textContent") == "accent", "what is found")
        self.let_go()
        self.tab.rest()
        self.assertEqual(self.tab.texts(".app code"), ["accent"])

    def test_an_app_that_cannot_be_read_does_not_look_like_the_one_before(self):
        self.home.write(self.home.schema.with_name("org.example.viewer.toml"), "app =\n")
        self.tab.click("#all-apps")
        self.tab.click(".app", "viewer")
        self.tab.until(lambda: "Cannot use the schema" in self.tab.one("#notices").text, "notice")
        self.assertIn("org.example.viewer", self.tab.one("#app-name").text)
        self.assertEqual(self.tab.one("#file-text").get_property("value"), "")
        self.assertEqual(self.tab.one(".file-name").get_property("textContent"), "")

    def test_a_file_that_is_named_by_its_path_is_the_only_one_and_is_found_again(self):
        letter = self.home.path / "letter.toml"
        letter.write_text("margin = 2\n")
        server = Server(self.home, target=str(letter))
        self.addCleanup(server.end)
        tab = Tab(server.url)
        self.addCleanup(tab.close)
        tab.wait_until_live(str(letter))
        self.assertFalse(tab.one("#layer").is_displayed())
        for reloads in [False, True]:
            tab.click("#all-apps")
            tab.one(".app").wait()
            if reloads:
                tab.driver.refresh()
            tab.click(".app", "letter.toml")
            tab.until(lambda: tab.value("margin") == "2", "its settings")
