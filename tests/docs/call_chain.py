#!/usr/bin/env python3
"""call_chain.py ROOT [--write]: checks the table of CONTRIBUTING.md that follows a run from main to the bytes on disk.

Each function must be where the table says, the lines must be as many as it says (within a fifth), and all together at
most 3,000. With --write, puts the lines into the table instead."""
import re
import sys
from pathlib import Path

MOST = 3000
ROW = re.compile(r"^(\|[^|]*\| `([^`]+)` \| )([^|]+)( \| )(\d+)( \|)$")


def lines_of_function(lines, name):
    """The lines of all definitions with this name, from the name to the brace at its indentation that closes it."""
    start = re.compile(r"^( *)(?:[A-Za-z].*[ *&])?" + re.escape(name) + r"\(")
    found = 0
    for first, line in enumerate(lines):
        match = start.match(line)
        if not match:
            continue
        opened = next(at for at in range(first, len(lines)) if lines[at].endswith((";", "{", "}")))
        if lines[opened].endswith(";"):
            continue  # a declaration or a call
        last = opened
        if lines[opened].endswith("{"):
            ends = re.compile(match[1] + r"}(?! catch)")
            last = next(at for at in range(opened, len(lines)) if ends.match(lines[at]))
        found += last - first + 1
    return found


def main():
    root = Path(sys.argv[1])
    page = root / "CONTRIBUTING.md"
    text = page.read_text().splitlines()
    total, mistakes = 0, []
    for at, line in enumerate(text):
        row = ROW.match(line)
        if not row:
            continue
        lines = (root / row[2]).read_text().splitlines()
        count = len(lines) if row[3] == "all" else 0
        for name in re.findall(r"`([^`]+)`", row[3]):
            of_one = lines_of_function(lines, name)
            if of_one == 0:
                mistakes.append(f"{row[2]}: no function {name}")
            count += of_one
        if abs(count - int(row[5])) > max(count / 5, 5):
            mistakes.append(f"{row[2]}: {row[5]} lines (expected {count})")
        total += count
        text[at] = f"{row[1]}{row[3]}{row[4]}{count}{row[6]}"
    if "--write" in sys.argv:
        page.write_text("\n".join(text) + "\n")
        print(total, *(m for m in mistakes if "no function" in m), sep="\n")
        return 0
    if not 0 < total <= MOST:
        mistakes.append(f"CONTRIBUTING.md: the call chain has {total} lines (expected at most {MOST})")
    print(*mistakes, sep="\n", end="\n" if mistakes else "")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
