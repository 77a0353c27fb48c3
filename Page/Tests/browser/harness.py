"""What the browser tests share: a scratch home with a settings-page of its own, and one Chromium.

SETTINGS_PAGE and SETTINGS_CLI name the executables; without them those of Scripts/build are used.

The page redraws what changes, at any time: an element that was found may be gone at the next statement. So a test never
holds one. It has `Part`s, each of which finds its element again for every single act.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, JavascriptException, MoveTargetOutOfBoundsException,
    StaleElementReferenceException, WebDriverException)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
ROOT = PACKAGE.parent
ASSETS = PACKAGE / "Sources/PageAssets/assets"
APP = "org.example.editor"
# Longer than anything takes on a machine that builds something at the same time: it only ends what hangs.
SECONDS = 60
# What the browser says of an element before anything was done to it: it is gone, it is not drawn, or something is above it.
REDRAWN = (StaleElementReferenceException, ElementNotInteractableException, ElementClickInterceptedException, MoveTargetOutOfBoundsException)


def executable(variable, *candidates):
    for path in [os.environ.get(variable, ""), *candidates]:
        if path and os.access(path, os.X_OK):
            return str(path)
    raise SystemExit(f"Cannot find {candidates[-1]}. Build it, or name it in {variable}.")


def page_executable():
    return executable("SETTINGS_PAGE", ROOT / ".build-test/debug/settings-page")


def cli_executable():
    return executable("SETTINGS_CLI", ROOT / ".build-test/debug/settings-cli")


class Home:
    """A scratch home, with a schema and files of an app. `path` and `etc` name directories that are empty already."""

    def __init__(self, schema=None, text=None, system=None, app=APP, path=None, etc=None):
        self.path = pathlib.Path(path or tempfile.mkdtemp(prefix="page-test-"))
        etc = pathlib.Path(etc or self.path / "etc/xdg")
        self.app = app
        self.environment = {
            "HOME": str(self.path), "PATH": os.environ["PATH"], "XDG_CONFIG_DIRS": str(etc),
            "XDG_DATA_DIRS": f"{self.path}/share", "LANG": "C.UTF-8",
            **{name: os.environ[name] for name in ["SETTINGS_PAGE_ASSETS"] if name in os.environ},
        }
        self.file = self.path / ".config" / app / "settings.toml"
        self.system = etc / app / "settings.toml"
        self.schema = self.path / ".local/share/app-settings" / f"{app}.toml"
        for file, content in [(self.schema, schema), (self.file, text), (self.system, system)]:
            if content is not None:
                self.write(file, content)

    def write(self, file, content):
        file.parent.mkdir(parents=True, exist_ok=True)
        with open(file, "w", newline="") as stream:
            stream.write(content)
        file.chmod(0o600 if str(file).startswith(f"{self.path}/.config") else 0o644)

    def text(self):
        with open(self.file, newline="") as stream:
            return stream.read()

    def cli(self, *words, text=None, fails=False):
        run = subprocess.run([cli_executable(), *words], env=self.environment, input=text, capture_output=True, text=True)
        if run.returncode and not fails:
            raise AssertionError(f"settings-cli {' '.join(words)}: {run.stderr}")
        return run.stdout

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Server:
    """A settings-page, until `end()`."""

    def __init__(self, home, target=None):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [page_executable(), "--cli", cli_executable(), "--no-open", "--allow-root", target or home.app],
            env=home.environment, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=home.path)
        self.url = ""
        for line in self.process.stdout:
            if "http://" in line:
                self.url = "http://" + line.split("http://", 1)[1].strip()
                break
        if not self.url:
            self.log.seek(0)
            raise AssertionError(f"settings-page did not start: {self.log.read().decode()}")

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


_driver = None
_profile = None


def driver():
    """The browser, which all tests share. Each one has tabs of its own."""
    global _driver, _profile
    if _driver:
        return _driver
    _profile = tempfile.mkdtemp(prefix="page-browser-")
    options = Options()
    options.binary_location = shutil.which("chromium") or "chromium"
    for argument in ["--headless=new", "--disable-gpu", "--window-size=1440,900", f"--user-data-dir={_profile}",
                     "--disable-background-networking", "--no-first-run", "--disable-component-update"]:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    _driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or "chromedriver"))
    return _driver


def quit_driver():
    global _driver
    if _driver:
        _driver.quit()
        _driver = None
        shutil.rmtree(_profile, ignore_errors=True)


class Part:
    """A part of the page: the element of a selector that comes at a place, or the first one that has a text.

    Each act finds the element and does one thing to it. If the page has redrawn it in between, it is found again:
    nothing was done then.
    """

    def __init__(self, tab, selector, at=0, text="", row=None):
        self.tab = tab
        self.selector = selector
        self.at = at
        self.wanted = text
        self.row = row  # the selector of the setting that it is in, which may have to be scrolled to

    def __repr__(self):
        return f"{self.selector} [{self.at}]" + (f" with '{self.wanted}'" if self.wanted else "")

    def act(self, action):
        def once():
            if self.row:
                self.tab.bring(self.row)
            found = self.tab.elements(self.selector)
            if self.wanted:
                found = [element for element in found if self.wanted in element.text]
            try:
                return (action(found[self.at]),) if len(found) > self.at else None
            except REDRAWN:
                return None
        return self.tab.until(once, f"an element {self} that can be used")[0]

    @property
    def text(self):
        return self.act(lambda element: element.text)

    def get_property(self, name):
        return self.act(lambda element: element.get_property(name))

    def get_attribute(self, name):
        return self.act(lambda element: element.get_attribute(name))

    def is_displayed(self):
        return self.act(lambda element: element.is_displayed())

    def is_enabled(self):
        return self.act(lambda element: element.is_enabled())

    def is_selected(self):
        return self.act(lambda element: element.is_selected())

    def click(self):
        self.act(lambda element: element.click() or True)

    def send_keys(self, *keys):
        self.act(lambda element: element.send_keys(*keys) or True)

    def choose(self, text):
        self.act(lambda element: Select(element).select_by_visible_text(text) or True)


class Tab:
    """A tab of the browser that shows the page."""

    def __init__(self, url):
        self.driver = driver()
        self.driver.switch_to.new_window("tab")
        self.handle = self.driver.current_window_handle
        self.show(1440, 900)
        self.driver.get(url)

    def focus(self):
        if self.driver.current_window_handle != self.handle:
            self.driver.switch_to.window(self.handle)
        return self

    def show(self, width, height, dark=False, reduced=False, forced=False, scale=1):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"},
            {"name": "forced-colors", "value": "active" if forced else "none"}]})

    def js(self, script, *arguments):
        """Runs a script at once. Arguments may be parts of the page."""
        parts = [at for at, argument in enumerate(arguments) if isinstance(argument, Part)]
        if not parts:
            return self.focus().driver.execute_script(script, *arguments)
        part = arguments[parts[0]]
        return part.act(lambda element: self.js(script, *arguments[:parts[0]], element, *arguments[parts[0] + 1:]))

    def elements(self, selector):
        """The elements of a selector, which the page may have redrawn when this returns."""
        return self.focus().driver.find_elements(By.CSS_SELECTOR, selector)

    def all(self, selector):
        """The parts of a selector that are there now."""
        return [Part(self, selector, at) for at in range(len(self.elements(selector)))]

    def one(self, selector):
        """The first part of a selector, once it is there."""
        self.until(lambda: self.elements(selector), f"an element {selector}")
        return Part(self, selector)

    def until(self, condition, what="something"):
        end = time.monotonic() + SECONDS
        while True:
            self.focus()
            try:
                result = condition()
            except (*REDRAWN, JavascriptException):
                result = None
            if result:
                return result
            if time.monotonic() > end:
                raise AssertionError(f"There was no {what} within {SECONDS} s. Log: {self.log()}")
            time.sleep(0.01)

    def row(self, key, within=""):
        row = f".row[data-key='{css(key)}']"
        selector = f"{row} {within}".strip()

        def found():
            self.bring(row)
            return self.elements(selector)
        self.until(found, f"an element {selector}")
        return Part(self, selector, row=row)

    def bring(self, row):
        """Goes on to the next part of the list, of which only what is near the screen is in the document, if a row is not
        there; and waits until the list has brought that part into the document and removed the rest. Two steps at once
        would pass the row by: it would come, and go at once."""
        if not self.elements(row):
            self.focus().driver.execute_async_script("""const [done] = arguments;
                const main = document.querySelector('#settings');
                const box = main.scrollHeight > main.clientHeight + 1 ? main : document.scrollingElement;
                const end = box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
                box.scrollTop = end ? 0 : box.scrollTop + 600;
                // The scrolling is heard in the next frame, and the list follows in it.
                requestAnimationFrame(() => requestAnimationFrame(() => done()));""")
        self.until(lambda: not self.elements("#list[data-moving]"), "list that has settled")

    def click(self, selector, text=""):
        """Clicks on the first element that has a text."""
        Part(self, selector, text=text).click()

    def press(self, key, within=""):
        """Clicks on a part of a setting."""
        self.row(key, within).click()

    def drag(self, part, to):
        """Drags a part to another one with the pointer."""
        def once():
            ends = [self.elements(one.selector) for one in (part, to)]
            self.driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", ends[0][0])
            ActionChains(self.driver).click_and_hold(ends[0][0]).move_to_element(ends[1][0]).release().perform()
            return True
        self.until(once, f"{part} to drag to {to}")

    def value(self, key, selector="input, select, textarea"):
        return self.row(key, f".row-control :is({selector})").get_property("value")

    def message(self, key):
        return self.row(key, ".row-message").text

    def type(self, part, text, key=Keys.ENTER):
        """Types over what a field has. One act: between two of them, the field may be another one."""
        part.send_keys(Keys.CONTROL, "a", Keys.NULL, text, key)

    def log(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def close(self):
        try:
            self.focus().driver.close()
        except WebDriverException:
            pass
        self.driver.switch_to.window(self.driver.window_handles[0])


def css(text):
    return text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\a ")


class PageTest(unittest.TestCase):
    """A test with a home, a server and tabs of its own."""

    schema = None
    text = None
    system = None

    def setUp(self):
        self.home = Home(self.schema, self.text, self.system)
        self.addCleanup(self.home.remove)
        self.prepare()
        self.server = Server(self.home)
        self.addCleanup(self.server.end)
        self.tab = self.open()

    def prepare(self):
        """Changes the home before the page starts."""

    def open(self):
        tab = Tab(self.server.url)
        self.addCleanup(tab.close)
        tab.until(lambda: tab.js("return document.documentElement.dataset.live === arguments[0]", self.home.app), "page that follows changes")
        return tab

    def wait_for_text(self, *parts, absent=()):
        """Waits until the file has, and does not have, some texts."""
        def fits():
            text = self.home.text() if self.home.file.exists() else ""
            return all(part in text for part in parts) and not any(part in text for part in absent)
        self.tab.until(fits, f"file with {parts} without {absent}")
        return self.home.text()

    def assert_soon(self, get, expected):
        """Waits until something has a value. The page shows a change a little later than the file has it."""
        last = None

        def fits():
            nonlocal last
            last = get()
            return last == expected
        try:
            self.tab.until(fits, f"{expected!r}")
        except AssertionError:
            self.assertEqual(last, expected)

    def assert_only_changed(self, before, after, old, new):
        """Asserts that one passage was replaced, and that all other bytes are as they were."""
        self.assertEqual(before.count(old), 1, old)
        self.assertEqual(before.replace(old, new), after)


def pointer(document, path):
    """A value within JSON."""
    for part in path:
        document = document[part]
    return document


def read(home, key):
    return json.loads(home.cli("get", home.app, key, "--json"))["value"]
