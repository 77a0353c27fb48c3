import json
import subprocess
import sys


def settings(*arguments, input=None):
    result = subprocess.run(["settings-cli", *arguments], input=input, capture_output=True, text=True)
    if result.returncode not in (0, 9):
        sys.exit(result.stderr)
    return result


def change(file, edits):
    """Makes the edits that a function finds from the present values, in one write."""
    while True:
        digest = settings("get", file, "--digest").stdout.strip()
        values = json.loads(settings("export", file, "--json").stdout)
        lines = "".join(json.dumps(edit) + "\n" for edit in edits(values))
        if settings("batch", file, "--if-unchanged", digest, input=lines).returncode == 0:
            return


def double(values):
    now = values.get("limits", {}).get("open-files", 1024)
    yield {"set": "limits.open-files", "value": now * 2}
    yield {"set": "limits.raised-by", "value": "installer"}


change(sys.argv[1], double)
