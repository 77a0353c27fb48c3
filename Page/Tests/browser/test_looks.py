"""What a person sees at first sight: one bar, the room that texts have, what is set and what is only a default, and the way on."""

from harness import APP, ActionChains, Keys, PageTest

SCHEMA = '''
app = "org.example.editor"
name = "Text Editor"
icon = "📝"
schema-version = 1
[groups.zoo]
description = "First in the schema."
[groups.editor]
[keys.theme]
type = "string"
choices = ["light", "dark", "auto"]
default = "auto"
description = "Colours of the windows."
[keys.accent]
type = "string"
pattern = "#[0-9a-f]{6}"
example = "#2f5fd0"
description = "The colour of what is selected, of links, and of the line that has the cursor; other colours follow from it."
[keys."editor.size"]
type = "integer"
minimum = 6
maximum = 72
default = 12
description = "Size of the font, in points."
[keys."editor.renderer"]
type = "boolean"
default = true
needs-restart = true
description = "Draws with the graphics card."
[keys."zoo.url"]
type = "string"
needs-restart = true
description = "גודל הגופן."
[keys.places]
type = "records"
fields = { url = { type = "string", description = "Where it is." }, keep-alive = { type = "boolean", default = true } }
'''

TEXT = '''theme = "dark"
[editor]
size = 100
renderer = true
[places.home]
url = "https://nas.example.net/"
'''


class LooksTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def prepare(self):
        self.home.write(self.home.file.parent / "profiles/work.toml", "theme = 'dark'\n")

    def test_the_bar_is_one_line(self):
        for width in [1024, 1280, 1920]:
            self.tab.show(width, 768)
            self.tab.rest()
            boxes = self.tab.js("""return [...document.querySelectorAll('.bar :is(h1, input, button, select)')].map((one) => one.getBoundingClientRect())
                .filter((box) => box.width > 0).map((box) => [box.top + box.height / 2, box.left, box.right])""")
            self.assertGreater(len(boxes), 8)
            self.assertLess(max(middle for middle, _, _ in boxes) - min(middle for middle, _, _ in boxes), 6, width)
            self.assertTrue(all(right <= width for _, _, right in boxes))
            self.assertTrue(all(right <= left + 1 for (_, _, right), (_, left, _) in zip(boxes, boxes[1:])), boxes)

    def test_a_description_is_as_wide_as_its_column(self):
        self.tab.row("accent").wait()
        for width in [1024, 1280, 390]:
            self.tab.show(width, 800)
            self.tab.rest()
            text, row = self.tab.row("accent").js("return ['.row-text', null].map((one) => (one ? element.querySelector(one) : element).getBoundingClientRect().width)")
            self.assertGreater(text, row - 40)

    def test_the_difference_of_a_migration_stays_in_its_notice(self):
        self.home.write(self.home.schema, SCHEMA + '\n[[migrations]]\nversion = 2\nname = "name the colour"\nsteps = [{ rename = "paint", to = "accent" }]\n')
        self.home.write(self.home.file, f'paint = "#112233" # {"long " * 60}\n')
        self.tab.until(lambda: self.tab.count(".notice.info"), "notice")
        self.tab.js("document.querySelector('details').open = true")
        self.tab.rest()
        notice, within = self.tab.js("""return [document.querySelector('.notice.info'), ...document.querySelectorAll('.notice.info :is(p, .diff)')]
            .map((one) => one.getBoundingClientRect().right).reduce(([notice, within], right) => (notice === 0 ? [right, 0] : [notice, Math.max(within, right)]), [0, 0])""")
        self.assertLess(within, notice)

    def test_on_a_phone_the_first_setting_begins_in_the_upper_half(self):
        self.home.write(self.home.schema, SCHEMA + '\n[[migrations]]\nversion = 2\nname = "name the colour"\nsteps = [{ rename = "paint", to = "accent" }]\n')
        self.home.write(self.home.file, 'paint = "#112233"\n')
        self.tab.show(390, 844)
        self.tab.reload()
        self.tab.until(lambda: self.tab.count(".notice.info"), "notice")
        self.tab.rest()
        self.assertLess(self.tab.js("scrollTo(0, 0); return document.querySelector('.row').getBoundingClientRect().top"), 422)

    def test_texts_have_five_sizes(self):
        self.tab.row("editor.size", ".more").click()
        self.tab.row("editor.size", ".layers").wait()
        self.tab.rest()
        sizes = self.tab.js("""return [...new Set([...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
            .map((one) => getComputedStyle(one).fontSize))]""")
        self.assertLessEqual(len(sizes), 5, sizes)

    def test_what_is_set_is_in_colour_and_a_default_is_not(self):
        colour = "return getComputedStyle(element.querySelector('input:checked + span')).backgroundColor"
        own = self.tab.row("theme").js(colour)
        self.tab.press("theme", ".row-tools button")
        self.wait_for_text("[editor]", absent=["theme"])
        self.tab.until(lambda: self.tab.row("theme").js("return element.classList.contains('is-default')"), "default")
        self.assertNotEqual(self.tab.row("theme").js(colour), own)
        self.assertIn("default", self.tab.row("theme", ".badges").text)

    def test_filters_have_words_and_numbers(self):
        self.assertEqual(self.tab.texts(".filter:not([hidden])"), ["4 modified", "1 with a problem", "Recent"])
        self.tab.click(".filter", "1 with a problem")
        self.tab.until(lambda: self.tab.texts(".row-title") == ["Size"], "one setting")
        self.assertEqual(self.tab.one("#search").get_property("value"), "@problem")
        self.assertEqual(self.tab.one(".filter[aria-pressed=true]").text, "1 with a problem")
        self.tab.click(".filter", "1 with a problem")
        self.tab.until(lambda: self.tab.one("#search").get_property("value") == "" and self.tab.count(".row") > 3, "all settings")

    def test_numbers_of_a_group_say_what_they_count(self):
        self.assertIn("1 problem", self.tab.one(".groups").text)
        self.assertIn("2 modified", self.tab.one(".groups").text)

    def test_a_search_without_a_result_has_a_way_on(self):
        self.home.write(self.home.path / ".config/org.b.app/settings.toml", 'zebra = "crossing"\n')
        self.tab.one("#search").send_keys("zebra")
        self.assertIn("zebra", self.tab.one("#empty").text)
        self.tab.click("#empty button", "Clear")
        self.tab.until(lambda: self.tab.focused() == "Search settings" and self.tab.count(".row") > 3, "all settings")
        self.tab.one("#search").send_keys("zebra")
        self.tab.click("#empty button", "all apps")
        self.tab.click(".app", "org.b.app")
        self.tab.until(lambda: self.tab.value("zebra") == "crossing", "setting of the other app")

    def test_an_app_without_a_file_says_how_it_begins(self):
        self.home.file.unlink()
        self.tab.until(lambda: "begins the file" in self.tab.one("#file-text").get_attribute("placeholder"), "text")

    def test_a_pattern_is_explained_by_its_example(self):
        field = self.tab.row("accent", ".row-control input")
        self.assertEqual(field.get_attribute("placeholder"), "such as #2f5fd0")
        field.type("red")
        self.tab.until(lambda: 'a string such as "#2f5fd0"' in self.tab.message("accent"), "message")
        self.assertNotIn("[0-9", self.tab.message("accent"))

    def test_the_schema_says_what_the_app_is_called_and_the_order_of_its_groups(self):
        self.assertEqual(self.tab.one("h1").text, "Text Editor")
        self.assertEqual(self.tab.one("h1").get_attribute("title"), APP)
        self.assertEqual(self.tab.one("#app-icon").text, "📝")
        self.assertEqual(self.tab.js("return document.title"), "Text Editor – Settings")
        self.assertIn("%F0%9F%93%9D", self.tab.js("return document.querySelector('link[rel=icon]').href"))
        self.assertEqual([name.split("\n")[0] for name in self.tab.texts(".group-link")], ["General", "Zoo", "Editor"])
        self.assertEqual(self.tab.texts(".group-head h2"), ["General", "Zoo", "Editor"])

    def test_an_icon_may_be_an_image(self):
        image = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'><script>parent.hit = 1</script></svg>"
        self.home.write(self.home.schema, SCHEMA.replace('"📝"', f'"{image}"'))
        self.tab.until(lambda: self.tab.js("return document.querySelector('#app-icon img')?.naturalWidth > 0"), "image")
        self.assertIsNone(self.tab.js("return window.hit ?? null"))

    def test_a_setting_that_needs_a_restart_says_so(self):
        self.assertIn("when the app starts again", self.tab.row("editor.renderer", ".row-place").text)
        self.assertNotIn("starts again", self.tab.row("editor.size", ".row-place").text)

    def test_what_is_said_of_a_setting_has_room_on_a_small_phone(self):
        self.tab.show(320, 568)
        width = "return element.getBoundingClientRect().right - element.closest('.row-text').getBoundingClientRect().right"
        self.assertLessEqual(self.tab.row("editor.renderer", ".row-place span").js(width), 0)

    def test_a_text_from_right_to_left_begins_at_the_right(self):
        self.home.cli("set", APP, "zoo.url", "שלום.")
        ends_left = """const [first, last] = [0, element.textContent.length - 1].map((at) => {
              const range = document.createRange();
              range.setStart(element.firstChild, at);
              range.setEnd(element.firstChild, at + 1);
              return range.getBoundingClientRect().left;
            });
            return last < first;"""
        self.assertTrue(self.tab.row("zoo.url", ".row-summary").js(ends_left))
        self.assertEqual(self.tab.row("zoo.url", "input").js("return getComputedStyle(element).unicodeBidi"), "plaintext")
        self.assertFalse(self.tab.row("editor.size", ".row-summary").js(ends_left))

    def test_fields_of_records_have_names_for_people_and_a_menu(self):
        self.assertEqual(self.tab.texts(".member-name span"), ["URL", "Keep alive"])
        self.assertIn("Where it is.", self.tab.one(".member-name").text)
        self.tab.one("[aria-label='Menu of url']").js("element.focus()")
        self.tab.keys(Keys.ENTER)
        self.tab.until(lambda: self.tab.focused() == "Remove url", "open menu")
        self.tab.keys(Keys.ARROW_DOWN, Keys.ESCAPE)
        self.tab.until(lambda: self.tab.count(".menu") == 0 and self.tab.focused() == "Menu of url", "closed menu")
        self.tab.keys(Keys.ENTER)
        self.tab.until(lambda: self.tab.focused() == "Remove url", "open menu")
        self.tab.keys(Keys.ENTER)
        self.wait_for_text("[places.home]", absent=["url ="])

    def test_what_the_bar_has_no_room_for_is_behind_its_button(self):
        self.tab.show(390, 844)
        self.tab.until(lambda: self.tab.js("return innerWidth") == 390, "width")
        self.tab.rest()
        self.assertFalse(self.tab.one("#layer").is_displayed())
        self.tab.click("#more")
        for selector in ["#layer", "#profile", "#try", "#undo", "#copy", "#stop"]:
            self.assertTrue(self.tab.one(selector).is_displayed(), selector)
        self.tab.keys(Keys.ESCAPE)
        self.assertFalse(self.tab.one("#layer").is_displayed())
        self.assertEqual(self.tab.focused(), "More")

    def test_the_bar_that_is_open_takes_no_click_from_what_is_below(self):
        self.tab.show(390, 844)
        self.tab.reload()
        self.tab.click("#more")
        light = self.tab.driver.find_element("css selector", ".row[data-key=theme] .segment")
        self.assertEqual(self.tab.js("return scrollY"), 0)
        ActionChains(self.tab.driver).click_and_hold(light).pause(0.05).release().perform()
        self.wait_for_text('theme = "light"')
        self.tab.until(lambda: not self.tab.one("#layer").is_displayed(), "bar that is closed")

    def test_a_menu_is_closed_by_its_button_and_does_not_stay_where_the_page_scrolls(self):
        menu = self.tab.one("[aria-label='Menu of home']")
        self.tab.point(menu)
        self.tab.until(lambda: self.tab.count(".menu") == 1, "menu")
        self.tab.point(menu)
        self.tab.until(lambda: self.tab.count(".menu") == 0, "end of the menu")
        self.assertEqual(menu.get_attribute("aria-expanded"), "false")
        self.tab.show(1440, 500)
        self.tab.point(menu)
        self.tab.until(lambda: self.tab.count(".menu") == 1, "menu")
        self.tab.js("document.querySelector('#settings').scrollTop -= 40")
        self.tab.until(lambda: self.tab.count(".menu") == 0, "end of the menu")

    def test_where_the_values_are_from_is_said_in_a_line_on_a_phone(self):
        self.tab.show(390, 844)
        self.tab.press("editor.size", ".more")
        caption = self.tab.row("editor.size", ".layers caption")
        self.assertGreater(caption.js("return element.getBoundingClientRect().width"), 250)

    def test_an_empty_table_takes_no_more_room_than_what_adds_to_it(self):
        self.home.write(self.home.schema, SCHEMA + '[keys.links]\ntype = "table"\nelements = { type = "string" }\n')
        height = "return element.getBoundingClientRect().height"
        self.assertLess(self.tab.row("links", ".table-box").js(height), 2 * self.tab.row("links", ".adder").js(height))

    def test_the_menu_of_a_record_is_beside_its_name_however_long(self):
        name = "a-very-long-name-" * 8
        self.home.write(self.home.file, f'[places.{name}]\nurl = "https://example.net/"\n')
        self.tab.show(390, 844)
        head = self.tab.one(f".record[aria-label='{name}'] .record-head")
        self.assertTrue(head.js("const [title, menu] = [...element.children].map((one) => one.getBoundingClientRect()); return menu.left >= title.right && menu.top < title.bottom"))
