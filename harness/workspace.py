"""The one place that knows where the data folders are and that reads and writes files.

Contracts, adoptions and log schemas stand beside the package in a checkout, and inside it once it is installed.
Whatever is written appears whole or not at all: single files are written aside and moved into place, and a run is
written into a folder of its own that takes the place of the wanted one only at the end.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from types import TracebackType

from harness.base.errors import UsageError

RUN_FILE = "run.json"
"""The file that makes a folder a run."""

_SAFE = re.compile(r"[a-z0-9-]+")
_UNSAFE = re.compile(r"[^a-z0-9-]+")
_ID = re.compile(r"([^/\[\]]+)/([^/\[\]]+)(?:\[([^/\[\]]+)\])?")
_RESERVED = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{device}{digit}" for device in ("com", "lpt") for digit in range(1, 10)}
)
_STEM_MAX = 120


# -- the data folders ---------------------------------------------------------------------------------------------


def data_folder(name: str) -> Path:
    """The folder `contracts`, `adoptions` or `diagnostics`: inside an installed package, beside it in a checkout."""
    package = Path(__file__).resolve().parent
    installed = package / "_data" / name
    return installed if installed.is_dir() else package.parent / name


def contract_files() -> Mapping[str, str]:
    """The path of each shipped contract by its id, sorted by id."""
    paths = sorted(data_folder("contracts").glob("*.json"))
    return {each.name.removesuffix(".json"): str(each) for each in paths if not each.name.endswith(".schema.json")}


def contract_path(contract_id: str) -> str:
    """The file of a shipped contract; UsageError that lists the shipped ones where there is no such."""
    known = contract_files()
    if contract_id not in known:
        raise UsageError(
            f"no contract {contract_id!r} is shipped",
            hint=f"the shipped contracts are {', '.join(known)}; name another with --contract FILE",
        )
    return known[contract_id]


def adoption_files(contract_id: str) -> tuple[Path, ...]:
    """The shipped adoptions of a contract, sorted by path; told from the line that names it, nothing is parsed."""
    names_it = re.compile(rf"^contract:\s*{re.escape(contract_id)}\s*$", re.MULTILINE)
    found = sorted(data_folder("adoptions").glob("*/*.adoption.yaml"))
    return tuple(each for each in found if names_it.search(read_text(each)))


def schema_paths(folder: str = "diagnostics") -> Mapping[str, Path]:
    """Every shipped JSON Schema in a data folder by its name, and that of contracts; sorted by name."""
    found = {each.name.removesuffix(".schema.json"): each for each in data_folder(folder).glob("*.schema.json")}
    found["contract"] = data_folder("contracts") / "contract.schema.json"
    return dict(sorted(found.items()))


# -- reading ------------------------------------------------------------------------------------------------------


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file; UsageError where it cannot be read."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {os.fspath(path)}: {_why(error)}") from error


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a UTF-8 file, without a byte order mark; UsageError where it cannot be read or is not UTF-8."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"cannot read {os.fspath(path)}: not UTF-8 at byte {error.start}") from error


# -- writing ------------------------------------------------------------------------------------------------------


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 file whole: aside in the same folder, then moved over the old one. Folders are made.

    What is no file (a terminal, a pipe) is written to as it is. Raises UsageError where it cannot be written; an
    older file is then as it was.
    """
    with _saying(f"cannot write {os.fspath(path)}"):
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            _write(Path(path), text)
            return
        aside = target.with_name(f".{target.name}.{os.getpid()}.partial")
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            _write(aside, text)
            os.replace(aside, target)
        finally:
            aside.unlink(missing_ok=True)


def file_stem(identifier: str) -> str:
    """A file name for a scenario id (or any text): safe on every system, and different for different ids.

    `bakery-oven/work-phase-enters-working[baking]` becomes `bakery-oven.work-phase-enters-working.baking`; an id with
    other than small letters, digits and hyphens in its parts, or a very long one, gets a digest at its end.
    """
    match = _ID.fullmatch(identifier)
    parts = [part for part in match.groups() if part is not None] if match else [identifier]
    stem = ".".join(_UNSAFE.sub("-", part.lower()) for part in parts)
    exact = all(_SAFE.fullmatch(part) for part in parts) and parts[0] not in _RESERVED
    if exact and len(stem) <= _STEM_MAX:
        return stem
    digest = hashlib.sha256(identifier.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"x-{stem[:_STEM_MAX]}_{digest}"


class RunFolder:
    """The folder of one run while it is being written.

    Everything goes into a folder beside the wanted one. `finish` puts it in the place of the wanted one; `abort`
    throws it away and leaves whatever stood there before. A run that is interrupted is finished with the scenarios
    it has. As a context manager it aborts when the block is left by any exception before `finish`.
    """

    def __init__(self, target: Path, aside: Path) -> None:
        self._target = target
        self._aside = aside
        self._names: set[str] = set()
        self._open = True

    @classmethod
    def open(cls, out: str | os.PathLike[str]) -> RunFolder:
        """Begin a run that shall stand at `out`.

        Raises UsageError where `out` is a file, a non-empty folder that holds no run, or cannot be made.
        """
        target = Path(os.path.realpath(out))
        _refuse_occupied(target, os.fspath(out))
        aside = target.with_name(f".{target.name}.{os.getpid()}.partial")
        with _saying(f"cannot make the output folder {os.fspath(out)}"):
            target.parent.mkdir(parents=True, exist_ok=True)
            if aside.exists():
                shutil.rmtree(aside)
            aside.mkdir()
        return cls(target, aside)

    def write_scenario(self, files: Mapping[str, str]) -> None:
        """Write the files of one finished scenario: text by name, a name being a path relative to the run folder."""
        for name, text in files.items():
            self._write(name, text)

    def write_text(self, name: str, text: str) -> None:
        """Write one more file into the run; `name` is a path relative to its folder."""
        self._write(name, text)

    def earlier(self, name: str) -> str | None:
        """The text of a file of the run that stands at the wanted place, to resume from; None where it has none."""
        path = self._target.joinpath(*_inner_parts(name))
        return read_text(path) if path.is_file() else None

    def finish(self, run_json: str) -> Path:
        """Write `run.json` as the last file, put the run in its place and say where it stands."""
        self._write(RUN_FILE, run_json)
        _refuse_occupied(self._target, str(self._target))
        with _saying(f"cannot put the run in its place at {self._target}"):
            _put_in_place(self._aside, self._target)
        self._open = False
        return self._target

    def abort(self) -> None:
        """Throw away what was written; what stood at the wanted place before is untouched."""
        if self._open:
            self._open = False
            shutil.rmtree(self._aside, ignore_errors=True)

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abort()

    def _write(self, name: str, text: str) -> None:
        parts = _inner_parts(name)
        if name.lower() in self._names:
            raise ValueError(f"not a new name inside the run folder: {name!r}")
        self._names.add(name.lower())
        path = self._aside.joinpath(*parts)
        with _saying(f"cannot write {name} of the run at {self._target}"):
            path.parent.mkdir(parents=True, exist_ok=True)
            _write(path, text)


# -- inner parts --------------------------------------------------------------------------------------------------


def _inner_parts(name: str) -> tuple[str, ...]:
    """The parts of a name inside a run folder; ValueError for one that leads out of it, or nowhere."""
    parts = PurePosixPath(name).parts
    if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise ValueError(f"not a new name inside the run folder: {name!r}")
    return parts


def _write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def _refuse_occupied(target: Path, typed: str) -> None:
    """The rule for output folders: new, empty, or one that holds a run, which is replaced."""
    if not target.exists():
        return
    if not target.is_dir():
        raise UsageError(f"the output folder {typed} is a file", hint="choose another place with --out DIR")
    with _saying(f"cannot look into the output folder {typed}"):
        occupied = any(target.iterdir()) and not (target / RUN_FILE).is_file()
    if occupied:
        raise UsageError(
            f"the output folder {typed} is not empty and holds no {RUN_FILE}",
            hint="only an empty folder or an earlier run is written over; choose another with --out DIR",
        )


def _put_in_place(aside: Path, target: Path) -> None:
    """Move a finished folder to where an older one may stand.

    A folder that cannot be moved (the current one, a mount point) is emptied and filled instead.
    """
    if not target.exists():
        os.rename(aside, target)
        return
    old = target.with_name(f"{aside.name}.old")
    try:
        if target in (Path.cwd(), *Path.cwd().parents):
            raise OSError("the current folder stays where it is")
        os.rename(target, old)
    except OSError:
        _refill(aside, target)
        return
    try:
        os.rename(aside, target)
    except BaseException:
        os.rename(old, target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _refill(aside: Path, target: Path) -> None:
    """Empty `target` and move the content of `aside` in, the run file last: without it a folder is no run."""
    (target / RUN_FILE).unlink(missing_ok=True)
    for each in sorted(target.iterdir()):
        if each.is_dir() and not each.is_symlink():
            shutil.rmtree(each)
        else:
            each.unlink()
    for each in sorted(aside.iterdir(), key=lambda path: (path.name == RUN_FILE, path.name)):
        shutil.move(each, target / each.name)
    aside.rmdir()


@contextlib.contextmanager
def _saying(what: str) -> Iterator[None]:
    """Turn a failure of the file system into a message that says what was being done."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"{what}: {_why(error)}", hint="check the folder's rights and the room on the disk") from error


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
