"""One file, and several who change it: tabs, an editor, sed, settings-cli. Nothing is lost, and all see the same."""

import os
import signal
import subprocess
import threading

from harness import APP, Keys, PageTest, Server, cli_executable
from test_controls import SCHEMA, TEXT


class LiveTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def name(self, tab):
        return tab.value("name", "input")

    def test_two_tabs_show_each_others_changes(self):
        other = self.open()
        self.tab.row("name", "input").type("Lin")
        other.until(lambda: self.name(other) == "Lin", "change in the other tab")
        other.row("name", "input").type("Mae")
        self.tab.until(lambda: self.name(self.tab) == "Mae", "change in the first tab")
        self.assertIn('name = "Mae"  # Hopper', self.home.text())

    def test_a_change_by_settings_cli_shows_with_its_author(self):
        self.home.cli("set", APP, "name", "Lin")
        self.tab.until(lambda: self.name(self.tab) == "Lin", "change")
        self.tab.until(lambda: "settings-cli" in self.tab.row("name", ".row-meta").text, "author")
        self.tab.until(lambda: 'name = "Lin"' in self.tab.js("return document.querySelector('#file-text').value"), "text of the file")

    def test_a_change_by_sed_shows_with_its_author(self):
        subprocess.run(["sed", "-i", "s/Grace/Lin/", self.home.file], check=True)
        self.tab.until(lambda: self.name(self.tab) == "Lin", "change")
        self.tab.until(lambda: "an editor or another program" in self.tab.row("name", ".row-meta").text, "author")

    def test_a_change_moves_nothing_that_somebody_may_be_about_to_click(self):
        places = """return [...document.querySelectorAll('.row :is(input, select, textarea, button)')].filter((one) => one.offsetParent !== null)
            .map((one) => [one.getAttribute('aria-label') ?? one.closest('.row').dataset.key, Math.round(one.getBoundingClientRect().top)])"""
        for width in [1440, 800, 390]:
            with self.subTest(width):
                self.home.write(self.home.file, TEXT)
                # The page that ends hears of this change, and the next one does not.
                self.tab.until(lambda: self.name(self.tab) == "Grace", "first text")
                self.tab.show(width, 4000)
                self.tab.reload()
                self.tab.rest()
                self.assertEqual(self.tab.count(".row-meta:not([hidden])"), 0)
                before = dict(self.tab.js(places))
                self.home.cli("batch", APP, text='{"set": "name", "value": "Lin"}\n{"set": "size", "value": 15}\n{"set": "columns", "value": [72, 90]}\n')
                for key in ["name", "size", "columns"]:
                    self.tab.until(lambda: "settings-cli" in self.tab.row(key, ".row-meta").text, "author")
                self.tab.rest()
                after = dict(self.tab.js(places))
                self.assertEqual({key: top for key, top in after.items() if key in before}, {key: top for key, top in before.items() if key in after})

    def test_a_change_by_vim_shows(self):
        vim = next((path for path in ["/usr/bin/vim", "/usr/bin/vi"] if os.access(path, os.X_OK)), None)
        if vim is None:
            self.skipTest("vim is not installed")
        subprocess.run([vim, "-es", "-u", "NONE", "-c", "%s/Grace/Lin/", "-c", "wq", str(self.home.file)], check=False, stdin=subprocess.DEVNULL,
                       env=self.home.environment, stdout=subprocess.DEVNULL)
        self.tab.until(lambda: self.name(self.tab) == "Lin", "change")

    def test_all_together_lose_nothing(self):
        other = self.open()
        self.tab.row("name", "input").type("Lin")
        other.row("ratio", "input[role=spinbutton]").type("7.25")
        self.wait_for_text("Lin", "7.25")
        self.home.cli("set", APP, "size", "33")
        subprocess.run(["sed", "-i", 's/"90s"/"80s"/', self.home.file], check=True)
        for tab in [self.tab, other]:
            tab.until(lambda: (self.name(tab), tab.value("ratio", "input[role=spinbutton]"), tab.value("size", "input[role=spinbutton]"), tab.value("wait", "input"))
                      == ("Lin", "7.25", "33", "80"), "all changes")
        expected = TEXT.replace("Grace", "Lin").replace("2.50", "7.25").replace("0x0E", "33").replace("90s", "80s")
        self.assertEqual(self.home.text(), expected)

    def test_two_tabs_an_editor_and_the_command_write_at_once(self):
        other = self.open()
        failures = []

        def often(*words, editor=None):
            """What a person does in a terminal meanwhile."""
            try:
                for value in range(20, 40):
                    environment = {**self.home.environment, **({"EDITOR": editor.format(value)} if editor else {})}
                    run = subprocess.run([cli_executable(), *[word.format(value) for word in words]], env=environment, capture_output=True, text=True)
                    if run.returncode:
                        failures.append(run.stderr)
            except OSError as error:
                failures.append(str(error))

        # Vim changes the line of a duration, in a copy that the command stores with what others have changed since.
        vim = """vim -es -u NONE -c '%s/^wait.*/wait = "{}s"/' -c wq"""
        actors = [threading.Thread(target=often, args=("set", APP, "size", "{}")),
                  threading.Thread(target=often, args=("edit", APP), kwargs={"editor": vim})]
        for actor in actors:
            actor.start()
        for number in range(6):
            self.tab.row("name", "input").type(f"Lin{number}")
            other.row("ratio", "input[role=spinbutton]").type(f"{number + 3}.25")
        for actor in actors:
            actor.join()
        self.assertEqual(failures, [])
        self.wait_for_text("Lin5", "8.25", "39")
        for tab in [self.tab, other]:
            tab.until(lambda: (self.name(tab), tab.value("ratio", "input[role=spinbutton]"), tab.value("size", "input[role=spinbutton]"), tab.value("wait", "input"))
                      == ("Lin5", "8.25", "39", "39"), "all changes")
        lines = self.home.text().splitlines()
        kept = [line for line in TEXT.splitlines() if not line.startswith(("name", "ratio", "size", "wait"))]
        self.assertEqual([line for line in lines if not line.startswith(("name", "ratio", "size", "wait"))], kept)
        for before in TEXT.splitlines():
            comment = before.partition("#")[2]
            self.assertTrue(comment == "" or comment in self.home.text(), comment)

    def test_what_is_being_typed_stays_when_another_changes_the_value(self):
        field = self.tab.row("name", "input")
        field.type("Draft", key="")
        self.home.cli("set", APP, "name", "Lin")
        self.tab.until(lambda: "Changed meanwhile to Lin" in self.tab.message("name"), "message")
        self.assertEqual(field.get_property("value"), "Draft")
        field.send_keys(Keys.ESCAPE)
        self.assertEqual(field.get_property("value"), "Lin")

    def test_a_request_without_an_answer_holds_up_nothing(self):
        self.tab.js("const real = AbortSignal.timeout.bind(AbortSignal); AbortSignal.timeout = () => real(300)")
        self.server.process.send_signal(signal.SIGSTOP)
        try:
            self.tab.row("name", "input").type("Lin")
            self.tab.until(lambda: "did not answer in time" in self.tab.message("name"), "message")
        finally:
            self.server.process.send_signal(signal.SIGCONT)
        self.tab.js("AbortSignal.timeout = () => undefined")
        self.home.cli("set", APP, "size", "33")
        self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "33", "change")

    def test_a_change_of_a_comment_alone_shows(self):
        subprocess.run(["sed", "-i", "s/# Mine./# Yours./", self.home.file], check=True)
        self.tab.until(lambda: self.tab.js("return document.querySelector('#file-text').value").startswith("# Yours."), "text")

    def test_a_change_of_administrators_shows(self):
        self.home.write(self.home.system, 'settings-locked = ["name"]\nname = "Root"\n')
        self.tab.until(lambda: self.name(self.tab) == "Root" and not self.tab.row("name", "input").is_enabled(), "lock")

    def test_a_change_in_the_page_is_not_said_to_be_by_another(self):
        self.tab.row("name", "input").type("Lin")
        self.tab.until(lambda: "you, here" in self.tab.row("name", ".row-meta").text, "author")


class TabsTest(PageTest):
    """A browser opens six connections to a server. All its tabs share one of them for what they hear."""

    schema = SCHEMA
    text = TEXT

    def test_twenty_tabs_work(self):
        tabs = [self.tab] + [self.open() for _ in range(19)]
        tabs[3].row("name", "input").type("Lin")
        self.wait_for_text("Lin")
        for tab in tabs:
            tab.until(lambda: tab.value("name", "input") == "Lin", "change in each tab")
        self.home.cli("set", APP, "name", "Mae")
        for tab in [tabs[0], tabs[9], tabs[19]]:
            tab.until(lambda: tab.value("name", "input") == "Mae", "change in the tab")

    def test_the_stream_goes_on_when_the_tab_that_was_first_is_closed(self):
        other = self.open()
        self.tab.close()
        other.row("name", "input").type("Lin")
        other.until(lambda: "Lin" in self.home.text(), "value in the file")
        self.home.cli("set", APP, "name", "Mae")
        other.until(lambda: other.value("name", "input") == "Mae", "change")

    def test_tabs_with_other_apps_hear_of_their_own(self):
        self.home.write(self.home.path / ".config/org.b.app/settings.toml", "b = 2\n")
        other = self.open()
        other.click("#all-apps")
        other.click(".app", "org.b.app")
        other.wait_until_live("org.b.app")
        self.home.cli("set", "org.b.app", "b", "3")
        other.until(lambda: other.value("b") == "3", "change of the other app")
        self.home.cli("set", APP, "name", "Lin")
        self.tab.until(lambda: self.tab.value("name", "input") == "Lin", "change of the first app")

    def test_more_apps_than_a_browser_can_follow_work_as_well(self):
        tabs = []
        for name in "abcdefg":
            self.home.write(self.home.path / f".config/org.{name}.app/settings.toml", f'name = "{name}"\n')
            tab = self.open()
            tab.click("#all-apps")
            tab.click(".app", f"org.{name}.app")
            tab.wait_until_live(f"org.{name}.app")
            tabs.append(tab)
        last = tabs[-1]
        self.assertIn("more apps than it can follow", last.one("#notices").text)
        last.row("name", "input").type("stored")
        last.until(lambda: "stored" in (self.home.path / ".config/org.g.app/settings.toml").read_text(), "value in the file")
        self.home.cli("set", "org.g.app", "name", "other")
        last.js("window.dispatchEvent(new Event('focus'))")
        last.until(lambda: last.value("name", "input") == "other", "change")
        for tab in tabs[:4]:
            tab.close()
        last.until(lambda: "more apps" not in last.one("#notices").text, "end of the notice")
        self.home.cli("set", "org.g.app", "name", "more")
        last.until(lambda: last.value("name", "input") == "more", "change that is heard of")

    def test_going_away_and_coming_back_many_times_leaves_nothing_open(self):
        for _ in range(8):
            self.tab.focus().driver.get("about:blank")
            self.tab.driver.back()
            self.tab.wait_until_live(APP)
        self.tab.row("name", "input").type("Lin")
        self.wait_for_text("Lin")

    def test_a_browser_without_shared_workers_hears_as_well(self):
        self.tab.without_worker()
        self.tab.reload()
        self.assertFalse(self.tab.js("return 'SharedWorker' in window"))
        self.home.cli("set", APP, "name", "Lin")
        self.tab.until(lambda: self.tab.value("name", "input") == "Lin", "change")

    def test_the_server_ends_when_its_last_tab_shows_another_page(self):
        self.tab.focus().driver.get("about:blank")
        self.tab.until(lambda: self.server.process.poll() is not None, "end of the server")


SHOWN = TEXT.replace('"s3cret"', '"(not in the history)"')


class RestartTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def notice(self):
        return "\n".join(self.tab.texts(".notices .notice"))

    def restart(self, meanwhile=lambda: None):
        """Starts the server again on its port, where it has another token."""
        port = self.server.url.split(":")[2].split("/")[0]
        self.server.end()
        self.tab.until(lambda: "does not answer" in self.notice(), "notice")
        meanwhile()
        self.server = Server(self.home, port=port)
        self.addCleanup(self.server.end)

    def test_a_tab_goes_on_after_a_restart(self):
        self.tab.row("name", "input").type("Draft", key="")
        self.restart()
        self.tab.until(lambda: "was started again" in self.notice(), "notice")
        self.assertEqual(self.tab.count(".notices .notice"), 1)
        self.tab.row("name", "input").send_keys(Keys.ENTER)
        self.tab.until(lambda: "was started again" in self.tab.message("name"), "message")
        other = self.open()
        self.tab.until(lambda: self.notice() == "", "end of the notice")
        self.assertEqual(self.name(self.tab), "Draft")
        # What was said of the server that did not answer does not hold any more.
        self.tab.until(lambda: self.tab.message("name") == "", "end of the message")
        self.tab.row("name", "input").send_keys(Keys.ENTER)
        self.wait_for_text('name = "Draft"')
        other.until(lambda: self.name(other) == "Draft", "change in the new tab")
        self.home.cli("set", APP, "size", "33")
        self.tab.until(lambda: self.tab.value("size", "input[role=spinbutton]") == "33", "change")

    def test_what_had_no_answer_is_asked_again(self):
        def use():
            self.tab.press("size", ".more")
            self.tab.until(lambda: "does not answer" in self.tab.row("size", ".past").text, "message of the history")
            self.tab.row("ratio", "input[role=spinbutton]").type("0.75")
            self.tab.until(lambda: "does not answer" in self.tab.message("ratio"), "message")
            # A search draws the rows again, and the server does not answer yet.
            self.tab.one("#search").send_keys("i")
            self.tab.rest()
            self.assertIn("does not answer", self.tab.message("ratio"))
        self.restart(use)
        self.open()
        self.tab.until(lambda: self.tab.message("ratio") == "", "end of the message")
        self.tab.until(lambda: "no change of this value" in self.tab.row("size", ".past").text, "history")

    def test_the_new_tab_goes_on_whatever_the_former_one_does(self):
        self.restart()
        self.tab.until(lambda: "was started again" in self.notice(), "notice")
        other = self.open()
        # As when a tab of before is shown again, and says the token that it has.
        self.tab.js("return import('/events.js').then(({ follow }) => follow(arguments[0], 'A'.repeat(22), () => {}))", APP)
        self.home.cli("set", APP, "size", "34")
        other.until(lambda: other.value("size", "input[role=spinbutton]") == "34", "change")
        self.assertEqual(other.count(".notices .notice"), 0)

    def name(self, tab):
        return tab.value("name", "input")


class FileTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def area(self):
        return self.tab.one("#file-text")

    def replace(self, old, new):
        """Edits the text as a person would, with one input event."""
        self.area().js("""const [old, next] = given; element.focus();
            const at = element.value.indexOf(old); element.setSelectionRange(at, at + old.length); document.execCommand('insertText', false, next);""", old, new)

    def save(self):
        self.area().send_keys(Keys.CONTROL, "s")

    def test_the_line_of_the_selected_value_is_lit(self):
        self.tab.press("accent", "input[type=text]")
        self.tab.until(lambda: "accent" in self.tab.js("return document.querySelector('.file-line.lit')?.textContent ?? ''"), "lit line")
        self.tab.press("words", "input")
        self.tab.until(lambda: self.tab.js("return document.querySelectorAll('.file-line.lit').length") == 5, "five lit lines")

    def test_a_click_into_the_text_selects_the_setting(self):
        self.area().js("const at = element.value.indexOf('ratio'); element.setSelectionRange(at, at); element.dispatchEvent(new MouseEvent('click'))")
        self.tab.until(lambda: self.tab.count(".row.selected[data-key=ratio]"), "selected row")

    def test_the_text_is_edited_and_the_form_follows(self):
        self.replace("Grace", "Lin")
        self.assertEqual(self.home.text(), TEXT)
        self.save()
        self.wait_for_text("Lin")
        self.tab.until(lambda: self.tab.value("name") == "Lin", "form")
        self.assertEqual(self.home.text(), TEXT.replace("Grace", "Lin"))

    def test_a_text_with_a_mistake_is_not_stored(self):
        self.replace('"Grace"', "Grace")
        self.save()
        self.tab.until(lambda: self.tab.count(".file-state.error"), "message")
        self.assertEqual(self.home.text(), TEXT)
        self.assertEqual(self.tab.count(".file.draft"), 1)
        self.names_line_of("Grace")

    def names_line_of(self, text):
        line = next(at for at, one in enumerate(TEXT.splitlines(), 1) if text in one)
        self.assertTrue(self.tab.one(".file-state").text.startswith(f"Line {line}: "), self.tab.one(".file-state").text)
        self.assertEqual(self.tab.texts(".file-numbers .lit"), [str(line)])

    def test_a_text_that_the_schema_refuses_is_not_stored(self):
        self.replace("0x0E", "1000")
        self.save()
        self.tab.until(lambda: "72" in self.tab.one(".file-state.error").text, "message")
        self.assertEqual(self.home.text(), TEXT)
        self.names_line_of("0x0E")

    def test_both_texts_are_shown_when_the_file_has_changed_and_the_person_chooses(self):
        for choice, expected in [("Save mine", TEXT.replace("Grace", "Mine")), ("Take theirs", TEXT.replace("Grace", "Theirs"))]:
            with self.subTest(choice):
                self.home.write(self.home.file, TEXT)
                self.tab.until(lambda: self.area().get_property("value") == SHOWN, "first text")
                self.replace("Grace", "Mine")
                self.home.write(self.home.file, TEXT.replace("Grace", "Theirs"))
                self.tab.until(lambda: "has changed meanwhile" in self.tab.one("#file-state").text, "notice")
                self.save()
                dialog = self.tab.one("dialog[open]").text
                self.assertIn("Theirs", dialog)
                self.assertIn("Mine", dialog)
                self.tab.click("dialog[open] button", choice)
                self.tab.until(lambda: self.home.text() == expected, "choice")
                self.tab.until(lambda: self.area().get_property("value") == expected.replace('"s3cret"', '"(not in the history)"'), "text")

    def test_line_endings_of_other_lines_stay(self):
        text = 'name = "a"\r\n# note\r\nratio = 2.5\n'
        self.home.write(self.home.file, text)
        self.tab.until(lambda: self.area().get_property("value").startswith('name = "a"\n# note'), "text")
        self.replace('"a"', '"b"')
        self.save()
        self.wait_for_text('"b"')
        self.assertEqual(self.home.text(), text.replace('"a"', '"b"'))

    def test_a_secret_is_not_in_the_text_and_stays_when_it_is_saved(self):
        self.assertNotIn("s3cret", self.area().get_property("value"))
        self.replace("Grace", "Lin")
        self.save()
        self.wait_for_text("Lin", 'token = "s3cret"')


class BrokenTest(PageTest):
    schema = SCHEMA.replace("secret = true", "")
    text = TEXT.replace('name = "Grace"', "name = Grace")

    def test_a_broken_file_is_mended_in_the_page(self):
        self.assertIn("does not parse", self.tab.one(".notice.error").text)
        self.assertFalse(self.tab.row("name", "input").is_enabled())
        self.tab.click(".notice.error button", "Mend")
        self.tab.until(lambda: "name = Grace" in self.tab.js("return document.querySelector('.file-line.lit')?.textContent ?? ''"), "lit line")
        self.tab.js("""const area = document.querySelector('#file-text'); const at = area.value.indexOf('name = Grace');
            area.setSelectionRange(at + 7, at + 12); document.execCommand('insertText', false, '"Grace"');""")
        self.tab.one("#file-text").send_keys(Keys.CONTROL, "s")
        self.tab.until(lambda: self.tab.value("name") == "Grace", "form")
        self.assertEqual(self.tab.count(".notice.error"), 0)
        self.assertEqual(self.home.text(), TEXT)

    def test_a_file_that_breaks_while_it_is_shown(self):
        self.home.write(self.home.file, TEXT)
        self.tab.until(lambda: self.tab.count(".notice.error") == 0 and self.tab.row("name", "input").is_enabled(), "mended file")
        self.home.write(self.home.file, self.text)
        self.tab.until(lambda: self.tab.count(".notice.error"), "notice")
