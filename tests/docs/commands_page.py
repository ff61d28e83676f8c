#!/usr/bin/env python3
"""commands_page.py LAPL: prints docs/commands.md, made from the program's own help.
commands_page.py LAPL PAGE: fails where PAGE is not that.
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys


def help_of(*command):
    return subprocess.run([sys.argv[1], *command, "--help"], check=True, text=True,
                          stdout=subprocess.PIPE, env={**os.environ, "COLUMNS": "100"}).stdout.rstrip()


overview = help_of()
words = subprocess.run([sys.argv[1], "complete", "--", ""], check=True, text=True, stdout=subprocess.PIPE).stdout
names = [line.split("\t")[0] for line in words.splitlines()[1:]]
page = ("# Commands\n\nEvery command of `lapl`, with its options and the exit codes.\n\n"
        "This page is made from the program's help by `tests/docs/commands_page.py`; a test fails where the two differ."
        "\n\n```\n" + overview + "\n```\n")
for name in names:
    page += f"\n## lapl {name}\n\n```\n{help_of(name)}\n```\n"
page = re.sub(r" +$", "", page, flags=re.M)
if len(sys.argv) == 2:
    print(page, end="")
elif (found := pathlib.Path(sys.argv[2]).read_text()) != page:
    print("\n".join(difflib.unified_diff(found.splitlines(), page.splitlines(), sys.argv[2], "lapl --help", n=0, lineterm="")))
    sys.exit(f"{sys.argv[2]} is not what lapl --help says: "
             "tests/docs/commands_page.py build/bin/lapl > docs/commands.md")
