"""Accessibility: names and roles as the browser's own tree has them, contrast, zoom, narrow screens, motion."""

import os
import pathlib
import re

from harness import PageTest, WebDriverException
from test_controls import SCHEMA, TEXT

CONTRAST = """
const canvas = document.createElement('canvas');
canvas.width = canvas.height = 1;
const context = canvas.getContext('2d', { willReadFrequently: true });
function colour(text) {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}
const over = (top, under) => [0, 1, 2].map((i) => top[i] * top[3] + under[i] * (1 - top[3])).concat(1);
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
function ground(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) layers.push(colour(getComputedStyle(e).backgroundColor));
  return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
}
const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const bad = [];
for (const element of document.querySelectorAll('body *')) {
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  if (box.width === 0 || box.height === 0 || style.visibility === 'hidden' || element.closest(':disabled, [aria-disabled=true], svg, option, #file-text')) continue;
  const field = element.matches('input:not([type=checkbox], [type=radio], [type=range], [type=color]), select, textarea');
  const texts = field ? [element.value || element.placeholder] : [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim());
  if (!texts.some((text) => text && text !== '\\u200b')) continue;
  const under = ground(element);
  const found = ratio(over(colour(style.color), under), under);
  if (found < 4.5) bad.push(`${found.toFixed(2)} ${element.tagName}.${element.className}: ${texts.join(' ').slice(0, 40)}`);
  if (field) {
    const edge = ratio(over(colour(style.borderTopColor), ground(element.parentElement)), ground(element.parentElement));
    if (parseFloat(style.borderTopWidth) > 0 && edge < 3) bad.push(`edge ${edge.toFixed(2)} ${element.className}`);
  }
}
return bad;
"""


class AccessTest(PageTest):
    maxDiff = None
    schema = SCHEMA
    text = TEXT + "\nunknown = 1\n"
    system = 'settings-locked = [{ key = "language", reason = "For all." }]\nlanguage = "de"\n'

    def everything(self):
        """Has all settings in the document, and opens what can be opened, which keeps them there."""
        self.tab.show(1440, 9000)
        self.tab.until(lambda: self.tab.count(".row") == self.tab.js("return import('/model.js').then(({ model }) => model.doc.keys.length)"), "all settings")
        self.tab.js("for (const more of document.querySelectorAll('.more')) more.click()")
        self.tab.until(lambda: self.tab.count(".past:empty") == 0, "histories")
        self.tab.show(1440, 900)
        self.tab.rest()

    def test_every_control_has_a_role_and_a_name(self):
        self.everything()
        nodes = self.tab.focus().driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        roles = {"button", "textbox", "switch", "checkbox", "radio", "combobox", "spinbutton", "slider", "searchbox", "radiogroup", "link", "ColorWell",
                 "Date", "InputTime", "DateTime", "group", "region", "table", "navigation", "main", "heading", "dialog", "search"}
        unnamed = []
        seen = set()
        for node in nodes:
            role = node.get("role", {}).get("value")
            if node.get("ignored") or role not in roles:
                continue
            seen.add(role)
            if not node.get("name", {}).get("value", "").strip() and role not in {"main", "group", "search"}:
                unnamed.append((role, node.get("backendDOMNodeId")))
        self.assertEqual(unnamed, [])
        for role in ["button", "textbox", "switch", "radiogroup", "combobox", "spinbutton", "slider", "searchbox", "heading", "main", "navigation"]:
            self.assertIn(role, seen)

    def test_a_screen_reader_has_this_page(self):
        self.tab.show(1440, 9000)
        self.tab.until(lambda: self.tab.count(".row") == self.tab.js("return import('/model.js').then(({ model }) => model.doc.keys.length)"), "all settings")
        self.tab.press("size", ".more")
        self.tab.until(lambda: self.tab.count(".past:empty") == 0, "history")
        self.tab.rest()
        # A path may be broken after each slash.
        shown = re.sub(r"/ (\S+/ )*page-test-\w+/ ", "HOME/ ", self.tree()).replace(str(self.home.path), "HOME")
        file = pathlib.Path(__file__).with_name("tree.txt")
        if os.environ.get("RECORD_SNAPSHOTS") == "1":
            file.write_text(shown)
        self.assertEqual(shown.splitlines(), file.read_text().splitlines())

    def tree(self):
        """The whole tree as a screen reader has it: roles, names, descriptions, values and states, a line each."""
        nodes = self.tab.focus().driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        by_id = {node["nodeId"]: node for node in nodes}
        lines = []

        def add(node, depth):
            role = node.get("role", {}).get("value", "")
            name = node.get("name", {}).get("value", "")
            hidden = node.get("ignored") or role in ["generic", "none", "InlineTextBox", "ListMarker"] or (role == "StaticText" and name in said)
            if not hidden:
                line = "  " * depth + role + (f" {name!r}" if name else "")
                for part in ["description", "value"]:
                    text = str(node.get(part, {}).get("value", ""))
                    if text and text != name:
                        line += f", {part} {text!r}"
                states = {one["name"]: one["value"].get("value") for one in node.get("properties", [])}
                line += "".join(f", {state}" for state in ["disabled", "checked", "pressed", "expanded", "selected", "required", "invalid", "readonly"]
                                if states.get(state) not in [None, False, "false"])
                lines.append(re.sub(r"\n", " ", line))
            said.append(name)
            for child in [] if role in ["button", "link", "option", "rowheader"] and not hidden else node.get("childIds", []):
                if child in by_id:
                    add(by_id[child], depth + (0 if hidden else 1))
            said.pop()

        said = []
        add(nodes[0], 0)
        return "\n".join(lines) + "\n"

    def test_a_control_is_named_by_its_setting_and_described_by_its_purpose(self):
        tree = self.tab.until(lambda: self.node("[data-key=size] input[role=spinbutton]"), "node of the field")
        self.assertEqual(tree["name"]["value"], "Size")
        self.assertIn("Size of the font", tree["description"]["value"])

    def node(self, selector):
        """What the browser's tree has of an element; nothing if the page draws it again meanwhile."""
        driver = self.tab.focus().driver
        found = driver.execute_cdp_cmd("Runtime.evaluate", {"expression": f"document.querySelector({selector!r})"})["result"]
        try:
            return next(iter(driver.execute_cdp_cmd("Accessibility.queryAXTree", {"objectId": found["objectId"]})["nodes"]), None)
        except (KeyError, WebDriverException):
            return None

    def test_one_heading_names_the_page_and_none_is_skipped(self):
        levels = self.tab.js("return [...document.querySelectorAll('h1, h2, h3, h4')].filter((h) => h.offsetParent).map((h) => Number(h.tagName[1]))")
        self.assertEqual(levels.count(1), 1)
        self.assertFalse([pair for pair in zip(levels, levels[1:]) if pair[1] > pair[0] + 1])

    def test_contrast_is_enough_in_light_and_dark(self):
        self.everything()
        for dark in [False, True]:
            with self.subTest(dark=dark):
                self.tab.show(1440, 900, dark=dark)
                self.tab.rest()
                self.assertEqual(self.tab.js(CONTRAST), [])

    def test_forced_colours_keep_every_text_and_every_state(self):
        self.everything()
        self.tab.show(1440, 900, forced=True)
        self.tab.until(lambda: self.tab.js("return matchMedia('(forced-colors: active)').matches"), "forced colours")
        self.tab.rest()
        self.assertEqual(self.tab.js(CONTRAST), [])
        # The painted lines would have colours of their own: the text itself is shown.
        self.assertEqual(self.tab.js("return getComputedStyle(document.querySelector('.file-paint')).display"), "none")
        self.assertNotEqual(self.tab.js("return getComputedStyle(document.querySelector('#file-text')).color"), "rgba(0, 0, 0, 0)")
        def colour(selector):
            return self.tab.js("return getComputedStyle(document.querySelector(arguments[0])).backgroundColor", selector)

        for on, off in [(".segment input:checked + span", ".segment input:not(:checked, :disabled) + span"), ("button[aria-pressed=true]", "button[aria-pressed=false]")]:
            self.assertNotEqual(colour(on), colour(off), on)
        state = "return [element.checked, getComputedStyle(element).backgroundColor]"
        flag = self.tab.row("flag", ".switch")
        before = flag.js(state)
        flag.click()
        self.tab.until(lambda: all(now != former for now, former in zip(flag.js(state), before)), "other state of the switch")
        self.tab.press("name", "input")
        self.assertNotEqual(self.tab.js("return getComputedStyle(document.querySelector('.row.selected')).outlineStyle"), "none")

    def test_targets_are_large_enough(self):
        self.tab.rest()
        small = self.tab.js("""return [...document.querySelectorAll('button, input, select')].filter((e) => e.offsetParent && !e.closest('.segment'))
            .map((e) => [e, e.getBoundingClientRect()]).filter(([e, box]) => box.width > 0 && (box.width < 24 || box.height < 24)).map(([e, box]) => `${e.outerHTML.slice(0, 80)} ${box.width}x${box.height}`)""")
        self.assertEqual(small, [])

    def fits(self, width, height):
        self.tab.show(width, height)
        self.tab.until(lambda: self.tab.js("return innerWidth") == width, "width")
        self.tab.rest()
        wide = self.tab.js("""const main = document.querySelector('#settings');
            return [...document.querySelectorAll('body, #settings, .row, .row *, .bar *')].filter((e) => {
              const box = e.getBoundingClientRect();
              return box.width > 0 && box.right > innerWidth + 1 && !e.closest('.offscreen, .file-box, .diff, textarea, .segment input');
            }).map((e) => `${e.tagName}.${e.className} ${e.getBoundingClientRect().right}`).concat(
              document.documentElement.scrollWidth > innerWidth ? [`page ${document.documentElement.scrollWidth}`] : [],
              main.scrollWidth > main.clientWidth + 1 ? [`main ${main.scrollWidth}`] : [])""")
        self.assertEqual(wide, [])

    def test_nothing_is_wider_than_a_narrow_screen(self):
        self.everything()
        self.fits(320, 640)

    def test_long_names_in_notices_fit_a_narrow_screen(self):
        name = "window-of-the-editor-that-is-shown-when-it-starts-again"
        schema = SCHEMA.replace("[keys.name]", f"[keys.{name}]\ntype = \"table\"\n[keys.name]")
        self.home.write(self.home.schema, schema)
        self.home.write(self.home.file, TEXT + f"[{name}s]\nx = 1\n")
        self.tab.until(lambda: any(f"Rename to {name}" in text for text in self.tab.texts(".notices button")), "finding")
        self.fits(320, 640)

    def test_nothing_is_wider_at_200_per_cent(self):
        self.everything()
        self.fits(720, 450)

    def test_a_large_screen_is_used_and_lines_stay_short(self):
        self.fits(3840, 2160)
        self.assertLess(self.tab.js("return document.querySelector('.row-summary').getBoundingClientRect().width"), 900)

    def test_nothing_moves_for_who_wants_no_motion(self):
        self.tab.show(1440, 900, reduced=True)
        moving = self.tab.js("""document.querySelector('.row').classList.add('flash');
            return [...document.querySelectorAll('body *')].filter((e) => { const s = getComputedStyle(e);
              return s.animationName !== 'none' || parseFloat(s.transitionDuration) > 0; }).length""")
        self.assertEqual(moving, 0)

    def test_what_changes_is_said(self):
        self.home.cli("set", self.home.app, "name", "Lin")
        self.tab.until(lambda: "changed Name to Lin" in self.tab.js("return document.querySelector('#live').textContent"), "announcement")
