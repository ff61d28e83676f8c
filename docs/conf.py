"""Sphinx's configuration for scripts/site. Pages stay as they are on GitHub; what a site needs besides is added here.

Navigation follows the tables of docs/README.md and docs/notes/README.md: a page that no table links to fails the build.
scripts/site sets LAPL_DOXYGEN and LAPL_STATIC.
"""

import html
import os
import pathlib
import re

root = pathlib.Path(__file__).resolve().parent.parent

project = "lapl"
copyright = "the authors of lapl, under the MIT licence"
version = release = re.search(r"project\(\s*lapl\s+VERSION\s+([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
extensions = ["myst_parser", "sphinx.ext.mathjax", "breathe"]
root_doc = "README"
source_suffix = {".md": "markdown"}
include_patterns = ["*.md", "docs/**.md", "**/README.md"]
exclude_patterns = ["build*", "runs", ".*"]
highlight_language = "none"
smartquotes = False  # they change --set
suppress_warnings = ["misc.highlighting_failure"]  # a block may be a part of a file

myst_enable_extensions = ["dollarmath"]
myst_dmath_allow_space = False
myst_heading_anchors = 4
myst_update_mathjax = False  # which would set options of MathJax 3
mathjax_path = "mathjax/MathJax.js"
mathjax2_config = {
    "jax": ["input/TeX", "output/CommonHTML"],
    "extensions": ["tex2jax.js", "AssistiveMML.js", "TeX/AMSmath.js", "TeX/AMSsymbols.js", "TeX/noErrors.js"],
    "tex2jax": {"ignoreClass": "page", "processClass": "math"},
    "menuSettings": {"zoom": "None"},
    "showMathMenu": False,
    "messageStyle": "none",
}

breathe_projects = {"lapl": os.environ["LAPL_DOXYGEN"]}
breathe_default_project = "lapl"

html_theme = "furo"
html_title = f"lapl {version}"
html_static_path = ["site.css", os.environ["LAPL_STATIC"]]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
pygments_style = "default"  # these two have contrast enough in comments and numbers
pygments_dark_style = "github-dark"


def listed(page):
    """{caption: pages} of the links in a page's tables; a bold line before a table is its caption."""
    found, caption = {}, ""
    for line in page.read_text().splitlines():
        caption = line.strip("*") if line.startswith("**") else caption
        for link in re.findall(r"\]\(([^):#]+\.md)\)", line) if line.startswith("| ") else ():
            path = os.path.relpath(page.parent / link, root)
            if not any(path in pages for pages in found.values()):
                found.setdefault(caption, []).append(path)
    return found


def toctree(caption, pages):
    options = [":hidden:", f":caption: {caption}" if caption else ""]
    paths = [page if page == "genindex" else f"/{page}" for page in pages]
    return "\n".join(["", "", "```{toctree}", *options, "", *paths, "```", ""])


def navigation(name, every_page):
    """The toctrees of a page; those of the root are beside every page."""
    trees = {}
    if name == "README":
        trees = listed(root / "docs/README.md")
        trees["Project"] = ["docs/README", *sorted(page for page in every_page - {name} if "/" not in page), "genindex"]
    elif name == "CONTRIBUTING":
        trees[""] = sorted(page for page in every_page if re.fullmatch(r"(?!docs/).*/README", page))
    elif name == "docs/notes/README":
        trees = listed(root / f"{name}.md")
    return "".join(toctree(caption, pages) for caption, pages in trees.items())


def with_reference(text):
    """Adds the reference of each header that a page names in a comment."""
    return re.sub(r"^<!-- reference: (.*) -->$", r"### `\1`\n\n```{doxygenfile} \1\n```\n", text, flags=re.M)


def anchor_of(heading):
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def with_cards(text):
    """Adds a card for each section with a picture, before the first."""
    cards = re.findall(r"^## (.*)\n\n!\[.*\]\((.*)\)$", text, re.M)
    links = [f"[![]({picture})<span>{title}</span>](#{anchor_of(title)})" for title, picture in cards]
    return text.replace("\n## ", "\n".join(["\n<div class=\"cards\">", "", *links, "", "</div>", "", "## "]), 1)


def with_whole_dates(text):
    """Marks the dates in cells of tables, which site.css does not break at their hyphens."""
    date = re.compile(r"(?<= )20\d\d-\d\d-\d\d(?=[ ,])")
    return re.sub(r"^\|.*", lambda row: date.sub(r'<span class="date">\g<0></span>', row[0]), text, flags=re.M)


def add_for_site(app, name, source):
    change = {"docs/api": with_reference, "docs/gallery": with_cards}.get(name, with_whole_dates)
    source[0] = change(source[0]) + navigation(name, app.env.found_docs)


def text_of(element):
    return html.unescape(re.sub(r"<[^>]*>", "", element)).strip()


def with_labels(table):
    """A table of four columns or more and much text gets the name of its column in each cell, for narrow screens."""
    names = [text_of(name) for name in re.findall(r"<th\b.*?</th>", table[0], re.S)]
    body = table[0].partition("<tbody>")[2]
    rows = body.count("<tr")
    is_list_of_links = body.count("<a ") >= rows * len(names)
    if len(names) < 4 or len(text_of(body)) < 70 * rows or is_list_of_links:
        return table[0]

    def row(cells):
        labels = iter(names)
        return re.sub(r"<td\b.*?</td>", lambda cell: labelled(cell[0], next(labels)), cells[0], flags=re.S)

    def labelled(cell, name):
        if not text_of(cell):
            return "<td></td>"
        return cell.replace("<td", f'<td data-label="{html.escape(name)}"', 1) if name not in ("", names[0]) else cell

    return re.sub(r"<tr\b.*?</tr>", row, table[0].replace('class="', 'class="wide ', 1), flags=re.S)


def label_tables(app, name, template, context, doctree):
    if "body" in context:
        context["body"] = re.sub(r"<table\b.*?</table>", with_labels, context["body"], flags=re.S)


def setup(app):
    app.connect("source-read", add_for_site)
    app.connect("html-page-context", label_tables)
    return {"parallel_read_safe": True}
