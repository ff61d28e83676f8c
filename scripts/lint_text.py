#!/usr/bin/env python3
"""scripts/lint_text.py words|links: looks at the text of every file that git tracks. scripts/lint calls it.

    words  lists the sentences of comments and pages that begin with Of, What, Whether or Those and are no question,
           in pages words for which the field has others, and functions whose names end in _of (a noun serves:
           shape_text); exit code 1 if there is one
    links  lists links, paths in backticks and pages named in code that do not exist, and pages of docs/ that the
           README.md beside them does not link to; exit code 1 if there is one
"""

import bisect
import collections
import itertools
import os
import pathlib
import re
import subprocess
import sys

sentence = re.compile(r"(?:^|(?<=[.!?] )|(?<=[.!?][)\"] ))[*_(]*(?:Of|What|Whether|Those) "
                      r".*?(?:[.!?](?=[)\"*_]*(?: |$))|$)")
# Words that pages avoid, and what they use. "Power law" and "Fick's law" are words of the field.
avoided = {re.compile(r"(?<!power )(?<!power-)(?<!conservation )(?<!scaling )(?<!'s )\blaws?\b", re.I): "boundary condition",
           re.compile(r"\brims?\b", re.I): "mask boundary",
           re.compile(r"\bThis page is for\b"): "a first sentence that states what the page contains"}
# Strings come first, so that "//" or "#" in a string begins no comment.
c_comment = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[/!<]*[ \t]*(?P<text>.*)')
python_comment = re.compile(r'"""(?:.|\n)*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[ \t]*(?P<text>.*)')
shell_comment = re.compile(r"(?:^|(?<=[ \t]))#+[ \t]*(?P<text>.*)", re.M)

# Names of the standard library, and of an operation that digests and kernels' texts have.
name_in_of = re.compile(r"\b(?!(?:any|all|none|find_(?:first|last)(?:_not)?|sign)_of\b)[a-z]\w*_of\(")


def pattern_of(path, text):
    """The pattern of this file's comments; None if it has none."""
    if path.suffix in (".cpp", ".hpp", ".cu", ".cuh"):
        return c_comment
    if path.suffix == ".py" or re.match(r"#!.*python", text):
        return python_comment
    shell = path.suffix in (".sh", ".cmake", ".yaml") or path.name == "CMakeLists.txt" or text.startswith("#!")
    return shell_comment if shell else None


def comment_lines(text, pattern):
    """(line, words, whether it continues the line before) of each comment; one after code is a comment of its own."""
    starts, was_alone = [at.start() for at in re.finditer(r"^", text, re.M)], False
    for match in pattern.finditer(text):
        if match["text"] is not None:
            line = bisect.bisect(starts, match.start())
            alone = not text[starts[line - 1]:match.start()].strip()
            yield line, match["text"].strip(), alone and was_alone
            was_alone = alone


def page_lines(text):
    """The same for a page: table cells and list items begin a text of their own; code and headings are left out."""
    code = False
    for line, words in enumerate(text.split("\n"), 1):
        if words.startswith("```"):
            code = not code
        elif words.startswith("|") and not code:
            yield from ((line, cell.strip(), False) for cell in words.strip("| ").split(" | "))
        elif not code and not re.match(r"#|<!--| {4}", words):
            item = re.match(r" *(?:[-*]|\d+\.) ", words)
            yield line, words[item.end():] if item else words.strip(), not item


def sentences(lines):
    """(line, sentence) of each sentence that begins with one of the words."""
    blocks = []
    for line, words, continues in lines:
        if not (continues and words and blocks and blocks[-1][-1][0] == line - 1 and blocks[-1][-1][1]):
            blocks.append([])
        blocks[-1].append((line, words))
    for block in blocks:
        starts = [0, *itertools.accumulate(len(words) + 1 for _, words in block)]
        for match in sentence.finditer(" ".join(words for _, words in block)):
            if not match[0].rstrip(')"*_').endswith("?"):
                yield block[bisect.bisect(starts, match.start()) - 1][0], match[0]


def avoided_words(text):
    """(line, word found, what to write instead) of each avoided word of a page, outside code."""
    prose = re.sub(r"^```(?:.|\n)*?^```|`[^`\n]+`", lambda code: "\n" * code[0].count("\n"), text, flags=re.M)
    for pattern, instead in avoided.items():
        for match in pattern.finditer(prose):
            yield prose.count("\n", 0, match.start()) + 1, match[0], instead


def check_words(files):
    found = 0
    for path, text in files.items():
        pattern = pattern_of(path, text)
        lines = page_lines(text) if path.suffix == ".md" else comment_lines(text, pattern) if pattern else ()
        for line, words in sentences(lines):
            print(f"{path}:{line}: begins with Of, What, Whether or Those: {words[:80]}")
            found += 1
        for line, word, instead in avoided_words(text) if path.suffix == ".md" else ():
            print(f"{path}:{line}: {word} found (expected {instead})")
            found += 1
        for line, code in enumerate(text.split("\n") if pattern is c_comment else (), 1):
            for match in name_in_of.finditer(code.partition("//")[0]):
                print(f"{path}:{line}: a name that ends in _of: {match[0][:-1]}")
                found += 1
    return found == 0


def anchors_of(text):
    """The anchors that GitHub gives to headings: a heading that comes again gets a number."""
    seen = collections.Counter()
    for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```(?:.|\n)*?^```", "", text, flags=re.M), re.M):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        yield f"{anchor}-{seen[anchor]}" if seen[anchor] else anchor
        seen[anchor] += 1


def check_links(files):
    mistakes, linked = [], set()
    folders = "|".join({path.parts[0] for path in files if re.match(r"\w+/", str(path))})
    link = re.compile(rf"\]\((?!\w+:)([^)\s#]*)#?([^)\s]*)\)|`((?:{folders})/[\w./-]*\w)`")
    name = re.compile(r"()()(?<![\w/])(docs/[\w/-]+\.md)")
    for file, text in files.items():
        for match in (link if file.suffix == ".md" else name).finditer(text):
            target = pathlib.Path(match[3]) if match[3] else file.parent / match[1] if match[1] else file
            target = pathlib.Path(os.path.normpath(target))
            linked.add((file, target))
            if not target.exists() or match[2] and match[2] not in anchors_of(target.read_text()):
                line = text.count("\n", 0, match.start()) + 1
                mistakes.append(f"{file}:{line}: there is no {match[0].strip('()]')}")
    for page in (path for path in files if re.fullmatch(r"docs/.*\.md", str(path))):
        if page.name != "README.md" and (page.parent / "README.md", page) not in linked:
            mistakes.append(f"{page.parent}/README.md: does not link to {page}")
    print(*mistakes, sep="\n", end="\n" * bool(mistakes))
    return not mistakes


listed = subprocess.run(["git", "ls-files", "-z", ":!tests/fuzz/corpus"], check=True, capture_output=True, text=True)
paths = [path for path in map(pathlib.Path, listed.stdout.split("\0")) if path.is_file()]
texts = {path: path.read_text(errors="replace") for path in paths if path.suffix not in (".png", ".h5", ".npy")}
sys.exit(0 if {"words": check_words, "links": check_links}[sys.argv[1]](texts) else 1)
