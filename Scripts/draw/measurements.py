"""The measurements of a run of Scripts/benchmarks, and figures as people read them."""

import json
import math
import os
import re
import sys


def fail(message):
    sys.exit(f"plots: {message}")


class Results:
    """The measurements of one run."""

    def __init__(self, path):
        self.path = path
        self.run = {}
        self.lines = []
        for line in open(path, encoding="utf-8"):
            record = json.loads(line)
            if "run" in record:
                self.run = record["run"]
            else:
                self.lines.append(record)

    @staticmethod
    def newest(kind=""):
        """Those of a kind whose files have names of their own, if there are any; else those of everything else."""
        names = sorted(
            name for name in os.listdir("Benchmarks/Results")
            if name.startswith(kind) and name[len(kind)].isdigit() and name.endswith(".jsonl"))
        if names:
            return Results(f"Benchmarks/Results/{names[-1]}")
        return None if kind else fail("there is no file in Benchmarks/Results")

    def of(self, program):
        return [line for line in self.lines if line["program"] == f"{program}-benchmarks"]

    def line(self, program, name):
        for line in self.of(program):
            if line["name"] == name:
                return line
        return fail(f"{self.path} has no '{name}' of {program}-benchmarks")

    def times(self, program, name):
        return self.line(program, name)["nanoseconds"]

    def value(self, program, name):
        return self.line(program, name)["value"]

    def machine(self):
        run = self.run
        kind = f" ({run['kind']})" if run.get("kind") else ""
        known = [("git", "git"), ("GLib", "glib"), ("dconf", "dconf"), ("etcd", "etcd")]
        tools = ", ".join(f"{name} {run[key]}" for name, key in known if run.get(key))
        commit = f", commit {run['commit']}" if run.get("commit") else ""
        return (
            f"{run['date']}{commit}{kind}: {run['processor']}, {run['cores']} cores, {run['memory']}, {run['filesystem']}, "
            f"Linux {run['linux']}, Swift {run['swift']}{', ' + tools if tools else ''}")


    def outdated(self):
        """What the everyday verbs cost more or less than in this run, in instructions or system calls."""
        costs = self.run.get("costs")
        if not costs:
            return ["the run does not say what it cost"]
        found = []
        for name, now in costs_now().items():
            then = costs.get(name)
            if not then:
                found.append(f"'{name}' was not counted")
                continue
            # How often a command that waits is woken depends on how its threads meet.
            counted = ("instructions",) if name.startswith("watch") else ("instructions", "system calls")
            for what, old, new in zip(counted, then, now):
                if abs(new - old) > MOST_CHANGED * old:
                    found.append(f"'{name}' takes {100 * (new - old) / old:+.0f} % {what}")
        return found


# A change by more than this part makes a run one of other code.
MOST_CHANGED = 0.05


def costs_now():
    """For each verb at a size: thousands of instructions, and system calls, as the tests of the command hold them."""
    lines = open("Tests/SettingsCLITests/Fixtures/costs.txt", encoding="utf-8")
    matches = (re.fullmatch(r"(.*): (\d+) k, (\d+) calls", line.strip()) for line in lines)
    return {match[1]: (int(match[2]), int(match[3])) for match in matches if match}


# Figures as people read them.


def figure(value):
    """Three digits, and no more."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"{int(text):,}" if "." not in text else text


def time(nanoseconds):
    for divisor, unit in [(1, "ns"), (1e3, "µs"), (1e6, "ms")]:
        if nanoseconds < 1000 * divisor:
            return f"{figure(nanoseconds / divisor)} {unit}"
    return f"{figure(nanoseconds / 1e9)} s"


def with_unit(value, unit):
    unit = {"x": "×", "us": "µs"}.get(unit, unit)
    return f"{figure(value)} {unit}".strip()
