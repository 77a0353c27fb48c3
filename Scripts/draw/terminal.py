"""Runs a program in a terminal of its own, and reads what is on its screen."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

# What a colour of the terminal is on a page.
CLASSES = {"1": "strong", "31": "bad", "32": "good", "33": "warm", "34": "ours", "36": "ours", "2": "quiet"}
SEQUENCE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|\x1b[()=>].?|\x1b\][^\x07]*\x07")


class Terminal:
    """A program behind a pseudo-terminal. `output` is a list of (seconds since its start, bytes)."""

    def __init__(self, words, environment, columns=400, rows=60, directory=None):
        self.output = []
        self.start = time.monotonic()
        self.status = None
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            if directory:
                os.chdir(directory)
            os.execvpe(words[0], words, environment)
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, quiet=None, limit=600):
        """Reads until the program ends, or has said something and then nothing for some seconds."""
        end = time.monotonic() + limit
        said = False
        while time.monotonic() < end:
            ready, _, _ = select.select([self.file], [], [], quiet if said and quiet else 0.2)
            if not ready:
                if said and quiet:
                    return
                continue
            try:
                data = os.read(self.file, 65536)
            except OSError:
                data = b""
            if not data:
                self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
                return
            said = True
            self.output.append((time.monotonic() - self.start, data))

    def type(self, text, quiet=0.7):
        os.write(self.file, text.encode())
        self.read(quiet, limit=20)

    def end(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.file)

    @property
    def text(self):
        return b"".join(data for _, data in self.output).decode(errors="replace")


def run(words, environment, directory=None):
    """What a program that ends prints to a terminal, line by line, each as pieces (text, class)."""
    terminal = Terminal(words, environment, directory=directory)
    terminal.read()
    terminal.end()
    return screen(terminal.text)


def screen(text):
    """The lines that a terminal shows after a text: its cursor goes back and up, and lines are erased."""
    lines = [[]]
    row = column = 0
    style = ""
    at = 0
    while at < len(text):
        sequence = SEQUENCE.match(text, at)
        if sequence:
            at = sequence.end()
            count = int(sequence[1]) if (sequence[1] or "").isdigit() else 1
            kind = sequence[2]
            if kind == "m":
                names = [CLASSES[code] for code in (sequence[1] or "").split(";") if code in CLASSES]
                style = " ".join(names if names not in ([], ["strong"]) else ["text"] + names)
            elif kind == "A":
                row = max(row - count, 0)
            elif kind == "C":
                column += count
            elif kind == "D":
                column = max(column - count, 0)
            elif kind == "K":
                lines[row] = lines[row][:column]
            elif kind == "J":
                lines[row:] = [lines[row][:column]]
            continue
        character = text[at]
        at += 1
        if character == "\r":
            column = 0
        elif character == "\n":
            row += 1
        elif character == "\b":
            column = max(column - 1, 0)
        elif character >= " ":
            while len(lines) <= row:
                lines.append([])
            lines[row] += [(" ", "")] * (column - len(lines[row]))
            lines[row][column:column + 1] = [(character, style)]
            column += 1
        while len(lines) <= row:
            lines.append([])
    while lines and not lines[-1]:
        lines.pop()
    return [pieces(line) for line in lines]


def pieces(cells):
    """Letters of one class after the other, together."""
    result = []
    for character, style in cells:
        if result and result[-1][1] == style:
            result[-1][0] += character
        else:
            result.append([character, style])
    return [(text, style or "text") for text, style in result]


def plain(line):
    return "".join(text for text, _ in line)


def wrapped(line, columns, indent="  "):
    """A line as several, none longer than some columns, broken at spaces."""
    cells = [(character, style) for text, style in line for character in text]
    result = []
    while len(cells) > columns:
        text = "".join(character for character, _ in cells[:columns + 1])
        space = text.rstrip().rfind(" ") if " " in text.strip() else columns
        space = space if space > len(indent) else columns
        result.append(pieces(cells[:space]))
        cells = [(character, "text") for character in indent] + cells[space + 1 if text[space] == " " else space:]
    return result + [pieces(cells)]
