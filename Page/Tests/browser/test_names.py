"""Names that TOML allows and that hardly anybody uses."""

from harness import PageTest

SCHEMA = '''
app = "org.example.editor"
schema-version = 1

[keys.-size]
type = "integer"
[keys.'"a.b".c']
type = "integer"
[keys."a.b.d"]
type = "integer"
[keys.servers]
type = "records"
fields = { url = { type = "string" } }
'''

TEXT = '''-size = 3
"'x".y = 1
"a.b".c = 1
a.b.d = 2
[servers."'a"]
url = "x"
'''


class OddNameTest(PageTest):
    schema = SCHEMA
    text = TEXT

    def test_names_with_dots_and_quotation_marks_make_groups_of_their_own(self):
        self.tab.until(lambda: self.tab.texts(".group-head h2") == ["General", "A.b", "A › B", "'x"], "groups")
        self.assertEqual(self.tab.count(".row"), 5)

    def test_the_head_of_a_table_has_the_colour_of_heads_whatever_its_name(self):
        self.assertEqual(self.tab.texts(".t-section"), ["[servers.\"'a\"]"])

    def test_a_key_that_begins_with_a_hyphen_has_a_history(self):
        self.tab.row("-size", ".row-control input").type("5")
        self.wait_for_text("-size = 5")
        self.tab.press("-size", ".more")
        self.tab.until(lambda: "3 → 5" in self.tab.row("-size", ".history").text, "history")
        self.tab.row("-size").js("element.focus()")
        self.tab.keys("u")
        self.wait_for_text("-size = 3")
        self.tab.keys("U")
        self.wait_for_text("-size = 5")
