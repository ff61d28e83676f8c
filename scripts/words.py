#!/usr/bin/env python3
"""Counts sentences of comments and pages that begin with "Of", "What", "Whether" or "Those" and are no question, and
follows the links between pages. Exit code 1 above MOST of them, or for a link that leads nowhere."""
import pathlib
import re
import subprocess
import sys

MOST = 20
SENTENCE = re.compile(r"(?:^|[.:;!?]\s+)((?:Of|What|Whether|Those)\s[^.:;!?]*[.:;!?]?)")
COMMENT = re.compile(r"^\s*(?:///?<?|#+|[-*])\s+|(?<=\s)///?<?\s+")
SOURCES = ["*.cpp", "*.hpp", "*.cu", "*.cuh", "*.py", "*.cmake", "*CMakeLists.txt", "scripts/*", ".ci/*"]


def tracked(*patterns: str) -> list[pathlib.Path]:
    names = subprocess.run(["git", "ls-files", *patterns], check=True, capture_output=True, text=True).stdout.split()
    return [pathlib.Path(name) for name in names if pathlib.Path(name).is_file()]


def blocks(path: pathlib.Path):
    """Comments or paragraphs, joined to a line each, with the number of their first line."""
    text, first, is_page, code = [], 0, path.suffix == ".md", False
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        code ^= is_page and line.startswith("```")
        found = None if is_page else COMMENT.search(line)
        part = line.strip(" -*#|>") if is_page else line[found.end():] if found else ""
        own = is_page and (code or not line.strip() or line[0] in "#|-`") or not is_page and found and line[: found.start()].strip()
        if (own or not part) and text:
            yield first, " ".join(text)
            text = []
        if part and not code:
            first = first if text else number
            text.append(part)
    if text:
        yield first, " ".join(text)


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def broken_links(page: pathlib.Path):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        name, _, heading = target.partition("#")
        file = page.parent / name if name else page
        if ":" in name or "{" in target:
            continue
        if not file.exists():
            yield f"{page}: {target}: no such file"
        elif heading and heading not in map(anchor, re.findall(r"^#+ (.*)$", file.read_text(), re.M)):
            yield f"{page}: {target}: no such heading"


def main() -> int:
    pages = tracked("*.md")
    found = [
        f"{path}:{number}: {sentence[:90]}"
        for path in pages + tracked(*SOURCES)
        for number, text in blocks(path)
        for sentence in SENTENCE.findall(text)
        if not sentence.endswith("?")
    ]
    broken = [problem for page in pages for problem in broken_links(page)]
    if len(found) > MOST:
        print(*found, f"{len(found)} sentences (expected at most {MOST})", sep="\n")
    print(*broken, sep="\n", end="\n" if broken else "")
    return 1 if broken or len(found) > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
