"""The measurements of a run of Scripts/benchmarks, and figures as people read them."""

import json
import math
import os
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
        return (
            f"{run['date']}{kind}: {run['processor']}, {run['cores']} cores, {run['memory']}, {run['filesystem']}, "
            f"Linux {run['linux']}, Swift {run['swift']}{', ' + tools if tools else ''}")


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
