"""What Scripts/plots and Scripts/pictures draw with: a page in one typographic scale and a few quiet colours, for light
and dark surroundings. Each page brings its own background, so that it can be read on any."""

from html import escape

WIDTH = 860
MARGIN = 32

# name: (light, dark). Text has a contrast of at least 4.5 to the page, marks of at least 3.
COLOURS = {
    "page": ("#fcfcfb", "#15171c"),
    "edge": ("#dfe1e4", "#2c313a"),
    "panel": ("#f3f4f5", "#1c1f26"),
    "text": ("#1f2430", "#e4e7ec"),
    "quiet": ("#5b6470", "#9ba5b1"),
    "grid": ("#e4e6e9", "#2a2f38"),
    "ours": ("#1f5fae", "#6fb0f5"),
    "peer": ("#7b8490", "#808b98"),
    "bad": ("#b2402d", "#f0907c"),
    "good": ("#2b7748", "#74c794"),
    "warm": ("#8a5a00", "#dcb268"),
}

SANS = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif'
MONO = 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace'
# The scale: a title, text, and notes; the terminal's text has a size of its own, since its letters are wider.
SIZES = {"title": 18, "body": 13, "note": 11.5, "mono": 12.5}
ADVANCE = SIZES["mono"] * 0.602  # of a letter of a terminal
LINE = 19  # from one line of a terminal to the next


def style(extra=""):
    def colours(index):
        return "".join(
            f".{name}{{fill:{pair[index]}}}.s-{name}{{stroke:{pair[index]}}}" for name, pair in COLOURS.items())

    return (
        f"text{{font-family:{SANS};font-size:{SIZES['body']}px;white-space:pre}}"
        f".title{{font-size:{SIZES['title']}px;font-weight:600}}"
        f".note{{font-size:{SIZES['note']}px}}"
        f".strong{{font-weight:600}}"
        f".mono{{font-family:{MONO};font-size:{SIZES['mono']}px}}"
        ".line{fill:none;stroke-width:1}.thick{stroke-width:2}"
        f"{colours(0)}@media(prefers-color-scheme:dark){{{colours(1)}}}{extra}")


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Page:
    """An SVG of the common width, with a title for those who see it and a description for those who do not."""

    def __init__(self, title, description, subtitle=None):
        self.title = title
        self.description = description
        self.parts = []
        self.extra = ""  # more rules of style
        self.y = MARGIN + 14
        self.text(MARGIN, self.y, title, "text title")
        if subtitle:
            self.y += 22
            self.text(MARGIN, self.y, subtitle, "quiet")
        self.y += 22

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, text, classes="text", anchor=None):
        anchor = f' text-anchor="{anchor}"' if anchor else ""
        self.add(f'<text x="{number(x)}" y="{number(y)}" class="{classes}"{anchor}>{escape(text, quote=False)}</text>')

    def mono(self, x, y, text, classes="text"):
        """Text of a terminal: its width is set, so that columns meet whatever the font."""
        lead = len(text) - len(text.lstrip(" "))
        text = text.strip(" ")
        if not text:
            return
        x += lead * ADVANCE
        length = f' textLength="{number(len(text) * ADVANCE)}"' if len(text) > 1 else ""
        self.add(
            f'<text x="{number(x)}" y="{number(y)}" class="mono {classes}"{length}>'
            f"{escape(text, quote=False)}</text>")

    def spans(self, x, y, spans):
        """Pieces of one line of a terminal: (text, class)."""
        for text, classes in spans:
            self.mono(x, y, text, classes)
            x += len(text) * ADVANCE

    def rect(self, x, y, width, height, classes, radius=0):
        self.add(
            f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}" '
            f'rx="{number(radius)}" class="{classes}"/>')

    def line(self, x1, y1, x2, y2, classes="s-grid"):
        self.add(
            f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" class="line {classes}"/>')

    def dot(self, x, y, colour, hollow=False, radius=5):
        classes = f"page s-{colour} thick" if hollow else colour
        self.add(f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{classes}"/>')

    def arrow(self, points, classes="s-quiet"):
        """A line through points, with a head at the last one."""
        (x1, y1), (x2, y2) = points[-2:]
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        path = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points)
        back = (x2 - 7 * ux, y2 - 7 * uy)
        head = "M" + "L".join(
            f"{number(x)} {number(y)}"
            for x, y in [(back[0] - 4 * uy, back[1] + 4 * ux), (x2, y2), (back[0] + 4 * uy, back[1] - 4 * ux)])
        self.add(f'<path d="{path}{head}" class="line {classes}" stroke-width="1.5" stroke-linejoin="round"/>')

    def group(self, attributes):
        self.add(f"<g {attributes}>")

    def end_group(self):
        self.add("</g>")

    def svg(self, height=None):
        height = height or self.y + MARGIN
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {number(height)}" width="{WIDTH}" '
            f'height="{number(height)}" role="img" aria-labelledby="title description">\n'
            f'<title id="title">{escape(self.title)}</title>\n'
            f'<desc id="description">{escape(self.description)}</desc>\n'
            f"<style>{style(self.extra)}</style>\n"
            f'<rect x="0.5" y="0.5" width="{WIDTH - 1}" height="{number(height - 1)}" rx="10" class="page s-edge"/>\n'
            + "\n".join(self.parts) + "\n</svg>\n")


def settle(path, text, check):
    """Writes a file, or checks that it is what would be written. Returns whether it was."""
    try:
        with open(path, encoding="utf-8") as file:
            same = file.read() == text
    except FileNotFoundError:
        same = False
    if not same and not check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return same
