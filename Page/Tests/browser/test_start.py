"""The page without an app: all apps, and what `settings-cli find` finds."""

from harness import APP, PageTest
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

    def test_the_same_app_opens_again(self):
        self.tab.click("#all-apps")
        self.tab.click(".app", APP)
        self.tab.until(lambda: self.tab.value("name") == "Grace", "settings")
