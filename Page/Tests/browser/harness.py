"""What the browser tests share: a scratch home with a settings-page of its own, and one Chromium.

SETTINGS_PAGE and SETTINGS_CLI name the executables; without them the ones of a debug build are used.
"""

import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.request

from selenium import webdriver
from selenium.common.exceptions import (ElementClickInterceptedException, ElementNotInteractableException, InvalidElementStateException,
                                        JavascriptException, NoSuchElementException, StaleElementReferenceException, WebDriverException)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

PACKAGE = pathlib.Path(__file__).resolve().parents[2]
ROOT = PACKAGE.parent
ASSETS = PACKAGE / "Sources/PageAssets/assets"
APP = "org.example.editor"
# How long something may take before it counts as missing. On a machine that does much else, what is late is not wrong.
SECONDS = 120


def executable(variable, *candidates):
    for path in [os.environ.get(variable, ""), *candidates]:
        if path and os.access(path, os.X_OK):
            return str(path)
    raise SystemExit(f"Cannot find {candidates[-1]}. Build it, or name it in {variable}.")


def page_executable():
    return executable("SETTINGS_PAGE", ROOT / ".build-test/release/settings-page")


def cli_executable():
    return executable("SETTINGS_CLI", ROOT / ".build-test/release/settings-cli")


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
    """A settings-page, until `end()`; on a free port, or the one that is named."""

    def __init__(self, home, target=None, port=0):
        self.log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [page_executable(), "--cli", cli_executable(), "--no-open", "--allow-root", "--port", str(port), target or home.app],
            env=home.environment, stdout=subprocess.PIPE, stderr=self.log, text=True, cwd=home.path)
        self.url = ""
        self.stream = None
        late = threading.Timer(SECONDS, self.process.kill)
        late.start()
        for line in self.process.stdout:
            if "http://" in line:
                self.url = "http://" + line.split("http://", 1)[1].strip()
                break
        late.cancel()
        if not self.url:
            self.log.seek(0)
            raise AssertionError(f"settings-page did not start: {self.log.read().decode()}")

    def keep_alive(self, token):
        """Follows the changes of the app as a tab does, until the server ends."""
        request = urllib.request.Request(f"{self.url.split('/#')[0]}/api/events?app={APP}", headers={"Authorization": f"Bearer {token}"})
        self.stream = urllib.request.urlopen(request, timeout=SECONDS)

    def end(self):
        if self.stream:
            self.stream.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.log.close()


# Chromium without windows, as Debian has it: the same engine, and a third less to compute. The command of this name is a
# script that would stay between the browser and its driver.
HEADLESS_SHELL = "/usr/lib/chromium/chromium-headless-shell"

# What computes less: nothing of the browser's own is drawn around the page, no process of its own puts together what is
# drawn, and no process is started for a tab. The benchmark does without, and without the shell.
SPARING = ["--kiosk", "--in-process-gpu", "--process-per-site", "--disable-features=SpareRendererForSitePerProcess"]

_mine = threading.local()
_starts = threading.Lock()


def driver():
    """The browser of this thread, which the tests that run in it share."""
    if not hasattr(_mine, "driver"):
        with _starts:
            # In memory, where there is a place for it: a browser makes and removes hundreds of files.
            _mine.profile = tempfile.mkdtemp(prefix="page-browser-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
            try:
                _mine.driver = start_driver()
            except WebDriverException:
                # Selenium chooses a free port for chromedriver, which another process may take before it does.
                _mine.driver = start_driver()
    return _mine.driver


def start_driver():
    options = Options()
    if SPARING and os.path.exists(HEADLESS_SHELL):
        options.binary_location = HEADLESS_SHELL
        options.set_capability("browserName", "chrome-headless-shell")
    else:
        options.binary_location = shutil.which("chromium") or "chromium"
    for argument in ["--headless=new", "--disable-gpu", "--window-size=1440,900", f"--user-data-dir={_mine.profile}",
                     "--disable-background-networking", "--no-first-run", "--disable-component-update",
                     *SPARING,
                     # A tab that another one covers goes on as if it were seen.
                     "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows"]:
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver") or "chromedriver"))
    made.set_script_timeout(2 * SECONDS)
    return made


def quit_driver():
    """Ends the browser of this thread."""
    if hasattr(_mine, "driver"):
        _mine.driver.quit()
        shutil.rmtree(_mine.profile, ignore_errors=True)
        del _mine.driver


# Finds an element, once the page has the answers to all that it asked, and reads from it in the same step; or else returns
# it where it stays: in the middle of the screen, at the same place in two frames that follow each other. The list has only
# the rows near the screen in the document, so it goes on through the list until it has made the row.
STEP = """
const [selector, text, isRow, given, milliseconds] = arguments;
const end = performance.now() + milliseconds;
const isSeen = (one) => one.checkVisibility({ visibilityProperty: true });
const seenText = (one) => (isSeen(one) ? one.innerText.trim() : "");
const read = %s;
const frame = () => new Promise((next) => { requestAnimationFrame(next); });
const find = () => [...document.querySelectorAll(selector)].find((one) => text === "" || seenText(one).includes(text));
const place = (one) => { const { x, y, width, height } = one.getBoundingClientRect(); return [x, y, width, height].join(" "); };
function goOn() {
  const main = document.querySelector("#settings");
  const box = main.scrollHeight > main.clientHeight + 1 ? main : document.scrollingElement;
  const isEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 2;
  box.scrollTop = isEnd ? 0 : box.scrollTop + 600;
}
return (async () => {
  for (let last = null; performance.now() < end; await frame()) {
    if (document.documentElement.hasAttribute("data-busy")) continue;
    const element = find();
    if (!element) {
      if (!isRow) continue;
      goOn();
      // The list hears of it in the next frame, and has drawn its part after that.
      await frame();
    } else if (read) {
      return [read(element, ...given)];
    } else {
      element.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
      const now = place(element);
      if (last?.element === element && last.now === now) return [(globalThis.foundElement = element) && null];
      last = { element, now };
    }
  }
  return null;
})().catch((error) => [null, String(error)]);
"""

# Nothing was done if one of these is said: the element was drawn again, moved, or is not there yet.
NOT_DONE = (StaleElementReferenceException, ElementNotInteractableException, ElementClickInterceptedException,
            InvalidElementStateException, NoSuchElementException, JavascriptException)


class Element:
    """The first element of a selector, and with a text. It is found again for all that is done with it or read from it,
    since the page may have drawn it again."""

    def __init__(self, tab, selector, text="", is_row=False):
        self.tab, self.selector, self.with_text, self.is_row = tab, selector, text, is_row

    def __str__(self):
        return self.selector + (f" with '{self.with_text}'" if self.with_text else "")

    def step(self, script, *given):
        end = time.monotonic() + SECONDS
        while True:
            try:
                found = self.tab.js(STEP % script, self.selector, self.with_text, self.is_row, given, 20_000)
            except JavascriptException:
                found = None
            if found and len(found) == 1:
                return found[0]
            if time.monotonic() > end or found:
                raise AssertionError(f"There was no element {self} that answers within {SECONDS} s: {found}. Log: {self.tab.log()}")

    def js(self, script, *given):
        """What the body of a function of `element` and of arguments returns."""
        return self.step("(element, ...given) => { %s }" % script, *given)

    def act(self, action):
        """Does something with the element, once."""
        end = time.monotonic() + SECONDS
        while True:
            self.step("null")
            try:
                return action(self.tab.driver.execute_script("return foundElement"))
            except NOT_DONE:
                if time.monotonic() > end:
                    raise

    def wait(self):
        """Waits until the element is on the screen and stays where it is."""
        self.step("null")

    @property
    def text(self):
        return self.js("return seenText(element)")

    def get_property(self, name):
        return self.js("return element[given[0]]", name)

    def get_attribute(self, name):
        return self.js("return element.getAttribute(given[0])", name)

    def is_displayed(self):
        return self.js("return isSeen(element)")

    def is_enabled(self):
        return self.js("return !element.matches(':disabled')")

    def is_selected(self):
        return self.js("return element.checked ?? element.selected")

    def click(self):
        self.act(lambda found: found.click())

    def send_keys(self, *keys):
        self.act(lambda found: found.send_keys(*keys))

    def type(self, text, key=Keys.ENTER):
        """Types over what a field has."""
        self.send_keys(Keys.CONTROL, "a", Keys.NULL, text, key)

    def paste(self, text):
        """Pastes a text where the cursor of the element is, as the browser announces it."""
        self.js("""const data = new DataTransfer();
            data.setData("text/plain", given[0]);
            element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));""", text)

    def choose(self, text):
        self.act(lambda found: Select(found).select_by_visible_text(text))

    def drag(self, other):
        """Drags the element to another one, which is on the screen with it."""
        middle = "const box = element.getBoundingClientRect(); return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)]"
        self.wait()
        start, end = self.js(middle), other.js(middle)
        actions = ActionBuilder(self.tab.driver)
        actions.pointer_action.move_to_location(*start).pointer_down().move_to_location(*end).pointer_up()
        actions.perform()


class Tab:
    """A tab of the browser that shows the page."""

    def __init__(self, url):
        self.driver = driver()
        if SPARING and not self.driver.current_url.startswith("http"):
            # The first tab keeps the process in which the others are.
            self.driver.get(f"{url.split('/#')[0]}/page.css")
        self.driver.switch_to.new_window("tab")
        self.handle = self.driver.current_window_handle
        self.show(1440, 900)
        self.driver.get(url)

    def focus(self):
        if self.driver.current_window_handle != self.handle:
            self.driver.switch_to.window(self.handle)
            # A tab behind another one draws no frames.
            self.driver.execute_cdp_cmd("Page.bringToFront", {})
        return self

    def show(self, width, height, dark=False, reduced=False, forced=False, scale=1):
        self.focus()
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": scale, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"},
            {"name": "forced-colors", "value": "active" if forced else "none"}]})

    def without_worker(self):
        """Has further documents be as in a browser without shared workers."""
        self.focus().driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "delete globalThis.SharedWorker"})

    def wait_until_live(self, app):
        """Waits until the page follows the changes of an app."""
        self.until(lambda: self.js("""
            const root = document.documentElement;
            return new Promise((done) => {
                const check = () => root.dataset.live === arguments[0] && done(true);
                check();
                new MutationObserver(check).observe(root, { attributeFilter: ["data-live"] });
                setTimeout(done, 20_000, false);
            });""", app), "page that follows changes")

    def reload(self, app=APP):
        self.focus().driver.refresh()
        self.wait_until_live(app)

    def rest(self):
        """Waits until the page has its answers, its animations are over, and two frames have nothing else to draw."""
        self.until(lambda: self.js("""
            const state = () => JSON.stringify([innerWidth, innerHeight, document.body.getElementsByTagName('*').length, document.querySelector('#settings')?.scrollTop,
              ...[...document.querySelectorAll('#list > *')].map((one) => one.getBoundingClientRect().top)]);
            const frame = () => new Promise((next) => { requestAnimationFrame(next); });
            const isBusy = () => document.documentElement.hasAttribute('data-busy') || document.getAnimations().some((one) => one.playState === 'running');
            return (async () => {
              await frame();
              const before = state();
              await frame();
              await frame();
              return !isBusy() && state() === before;
            })();"""), "page at rest")

    def js(self, script, *arguments):
        """What a script returns, now: whatever the page may be about to do. It is no element."""
        # WebDriver has the browser compile much code of its own for each script with other arguments.
        call = f"(function () {{ {script}\n}})(...{json.dumps(arguments)})"
        try:
            answer = self.focus().driver.execute_cdp_cmd("Runtime.evaluate", {
                "expression": call, "awaitPromise": True, "returnByValue": True, "userGesture": True})
        except WebDriverException as error:
            # The document is another one since then.
            if any(said in str(error) for said in ["navigated", "context", "collected"]):
                raise JavascriptException(str(error)) from error
            raise
        if "exceptionDetails" in answer:
            raise JavascriptException(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def count(self, selector):
        """How many elements a selector has, once the page has the answers to all that it asked."""
        return self.one("html").js("return document.querySelectorAll(given[0]).length", selector)

    def texts(self, selector):
        return self.one("html").js("return [...document.querySelectorAll(given[0])].map(seenText)", selector)

    def one(self, selector):
        """The first element of a selector."""
        return Element(self, selector)

    def row(self, key, within=""):
        """A setting, or a part of one."""
        return Element(self, f".row[data-key='{css(key)}'] {within}".strip(), is_row=True)

    def until(self, condition, what="something"):
        end = time.monotonic() + SECONDS
        for wait in itertools.chain([0.02, 0.03, 0.05, 0.07], itertools.repeat(0.1)):
            self.focus()
            try:
                result = condition()
            except JavascriptException:
                result = None
            if result:
                return result
            if time.monotonic() > end:
                raise AssertionError(f"There was no {what} within {SECONDS} s. Log: {self.log()}")
            time.sleep(wait)

    def click(self, selector, text=""):
        """Clicks on the first element that has a text."""
        Element(self, selector, text).click()

    def tool(self, selector):
        """Clicks on a tool of the bar, which may be behind its button with dots."""
        if not self.one(selector).is_displayed():
            self.click("#more")
        self.click(selector)

    def menu(self, owner, entry):
        """Chooses an entry of the menu of a record, or of a field, by their whole names."""
        self.click(f"[aria-label='Menu of {owner}']")
        self.click(f".menu [aria-label='{entry}']")

    def press(self, key, within=""):
        """Clicks on a part of a setting."""
        self.row(key, within).click()

    def keys(self, *keys):
        """Presses keys one after the other, where the focus is."""
        for key in keys:
            self.focus()
            ActionChains(self.driver).send_keys(key).perform()

    def point(self, element, x=0.5, y=0.5):
        """Clicks with the pointer on a place of an element: there, whatever may lie above it, and with what that does to the focus."""
        element.wait()
        left, top, width, height = element.js("const box = element.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]")
        actions = ActionBuilder(self.driver)
        actions.pointer_action.move_to_location(round(left + x * width), round(top + y * height)).pointer_down().pause(0.03).pointer_up()
        actions.perform()

    def type(self, *parts, pause=0.04):
        """Types the characters of texts one by one where the focus is, as fast as a person does."""
        for part in parts:
            for character in part:
                self.focus()
                ActionChains(self.driver).send_keys(character).pause(pause).perform()

    def select_all(self):
        self.focus()
        ActionChains(self.driver).key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).perform()

    def focused(self):
        """What has the focus: the page itself is a "BODY"."""
        return self.js("""const one = document.activeElement;
            return one.getAttribute("aria-label") ?? one.closest(".row")?.dataset.key ?? (one.id || one.tagName);""")

    def value(self, key, selector="input, select, textarea"):
        return self.row(key, f".row-control :is({selector})").get_property("value")

    def message(self, key):
        return self.row(key, ".row-message").text

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
        # What was logged until now is of other tests.
        driver().get_log("browser")
        self.tab = self.open()

    def prepare(self):
        """Changes the home before the page starts."""

    def open(self):
        tab = Tab(self.server.url)
        self.addCleanup(tab.close)
        tab.wait_until_live(self.home.app)
        return tab

    def hold(self, what):
        """Holds the requests of the page that fit, an expression of path and options, until let_go()."""
        self.tab.js(f"""const send = fetch;
            window.held = [];
            window.fetch = async (path, options) => {{
                if ({what}) await new Promise((done) => {{ window.held.push(done); }});
                return send(path, options);
            }};""")

    def let_go(self):
        self.tab.js("window.held.splice(0).forEach((go) => go())")

    def wait_for_text(self, *parts, absent=()):
        """Waits until the file has, and does not have, some texts."""
        def fitting():
            text = self.home.text() if self.home.file.exists() else ""
            return all(part in text for part in parts) and not any(part in text for part in absent) and text
        return self.tab.until(fitting, f"file with {parts} without {absent}")

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
