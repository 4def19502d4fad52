"""Finds a passage in a text: by lines, by Markdown heading, by symbol. Line ends are LF."""

from __future__ import annotations

import re

# A symbol is looked for in the beginning of a line only: longer lines are data, and slow to search.
LINE_MAX = 1000

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\Z")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NOT_IN_SLUG = re.compile(r"[^\w\- ]")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_CLOSING = re.compile(r"\s*(?:[)}\]]|end\b)")
_DECLARING = (
    r"\b(?:def|class|fn|func|function|struct|enum|interface|type|trait|impl|const|let|var|val|module|namespace|record"
    r"|sub|proc|static|void|int|bool|float|double|string|public|private|protected|internal|local|export|define)\b"
)


def line_passage(text: str, first: int, last: int) -> str | None:
    """Lines `first` to `last` (from 1, both included) with their line ends; None where the text has fewer."""
    lines = _lines(text)
    return "".join(lines[first - 1 : last]) if first <= last <= len(lines) else None


def heading_passages(text: str) -> dict[str, str]:
    """The passage of every Markdown heading by its slug; a slug that comes again gets -1, -2 and so on."""
    lines = _lines(text)
    headings = _headings(lines)
    found: dict[str, str] = {}
    counts: dict[str, int] = {}
    for index, (line, level, title) in enumerate(headings):
        end = next((at for at, depth, _ in headings[index + 1 :] if depth <= level), len(lines))
        while end > line + 1 and not lines[end - 1].strip():
            end -= 1
        slug = heading_slug(title)
        number = counts.get(slug, 0)
        counts[slug] = number + 1
        found.setdefault(f"{slug}-{number}" if number else slug, "".join(lines[line:end]))
    return found


def heading_slug(title: str) -> str:
    """The slug of a heading: lower case, punctuation dropped, blanks as hyphens."""
    plain = _LINK.sub(r"\1", title.strip()).lower()
    return _NOT_IN_SLUG.sub("", plain).replace(" ", "-")


def symbol_passage(text: str, symbol: str) -> str | None:
    """The declaration of a symbol with its body; `Outer.inner` or `Outer::inner` looks for inner within Outer.

    The declaring line is the first that has the name after a declaring word, else the first that begins with it. The
    body is what follows deeper indented, blank lines between included, and one closing line.
    """
    passage: str | None = text
    for name in re.split(r"\.|::", symbol):
        if passage is None or not name:
            return None
        passage = _declaration(_lines(passage), name)
    return passage


def yaml_path_tokens(path: str) -> list[str]:
    """The keys and indices of a path such as `a.b[0].c`."""
    return [each for each in re.split(r"\.|\[|\]", path) if each]


def _lines(text: str) -> list[str]:
    """Lines at LF only, with their ends; other breaks are part of a line, as an editor counts them."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _headings(lines: list[str]) -> list[tuple[int, int, str]]:
    """Line index, level and title of every heading outside fenced blocks."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    for index, raw in enumerate(lines):
        line = raw.rstrip("\n")
        opening = _FENCE.match(line)
        if fence:
            if opening and opening[1].startswith(fence) and not line.strip(" " + fence[0]):
                fence = ""
        elif opening:
            fence = opening[1]
        elif atx := _ATX.match(line):
            found.append((index, len(atx[1]), atx[2] or ""))
        elif index and (under := _SETEXT.match(line)) and _is_paragraph(lines[index - 1]):
            found.append((index - 1, 1 if under[1][0] == "=" else 2, lines[index - 1].strip()))
    return found


def _is_paragraph(line: str) -> bool:
    return (
        bool(line.strip())
        and not _ATX.match(line.rstrip("\n"))
        and not line.lstrip().startswith((">", "|", "- ", "* "))
    )


def _declaration(lines: list[str], name: str) -> str | None:
    word = re.escape(name)
    patterns = (
        re.compile(rf"{_DECLARING}[^\n]*?(?<!\w){word}(?!\w)"),
        re.compile(rf"\A\s*[\"'\[(]?{word}(?!\w)"),
        re.compile(rf"(?<!\w){word}(?!\w)\s*[=:(]"),
    )
    for pattern in patterns:
        for index, line in enumerate(lines):
            if pattern.search(line[:LINE_MAX]):
                return "".join(lines[index : _body_end(lines, index)])
    return None


def _body_end(lines: list[str], start: int) -> int:
    depth = _indent(lines[start])
    end = start + 1
    for index in range(start + 1, len(lines)):
        line = lines[index]
        if not line.strip():
            continue
        if _indent(line) <= depth:
            return index + 1 if _indent(line) == depth and _CLOSING.match(line) else end
        end = index + 1
    return end


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip())
