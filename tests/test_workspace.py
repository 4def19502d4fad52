"""Data folders, reading, and writing that is whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from harness import workspace
from harness.base.errors import UsageError
from harness.workspace import RunFolder, file_stem


def tree(folder: Path) -> list[str]:
    """Every file below a folder, relative to it."""
    return sorted(each.relative_to(folder).as_posix() for each in folder.rglob("*") if each.is_file())


def test_contract_path_finds_each_shipped_contract() -> None:
    """Every shipped contract is found by the id that stands in it."""
    assert "job-resolution" in workspace.contract_files()
    for contract_id in workspace.contract_files():
        assert json.loads(Path(workspace.contract_path(contract_id)).read_bytes())["contract"] == contract_id


def test_contract_path_lists_the_shipped_ones_for_an_unknown_id() -> None:
    """An unknown contract id is answered with those there are; a path is not an id."""
    for unknown in ("job-resolutoin", "../contracts/job-resolution"):
        with pytest.raises(UsageError) as caught:
            workspace.contract_path(unknown)
        assert "job-resolution" in str(caught.value.hint)


def test_schema_paths_are_schemas_by_name() -> None:
    """The shipped schemas are found by name, and each is a valid JSON Schema."""
    schemas = workspace.schema_paths()
    assert {"run", "findings", "contract", "report-log"} <= set(schemas)
    for path in schemas.values():
        Draft202012Validator.check_schema(json.loads(path.read_bytes()))


def test_data_folder_of_an_installed_package_is_inside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once installed the data stands in the package itself, and a folder beside the package is not taken for it."""
    package = tmp_path / "harness"
    (package / "_data" / "contracts").mkdir(parents=True)
    (tmp_path / "contracts").mkdir()
    monkeypatch.setattr(workspace, "__file__", str(package / "workspace.py"))
    assert workspace.data_folder("contracts") == package / "_data" / "contracts"
    assert workspace.data_folder("diagnostics") == tmp_path / "diagnostics"


def test_read_text_says_what_is_wrong(tmp_path: Path) -> None:
    """A missing file, a folder and bytes that are not UTF-8 are messages; a byte order mark is dropped."""
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    (tmp_path / "marked").write_bytes(b"\xef\xbb\xbfyes")
    assert workspace.read_text(tmp_path / "marked") == "yes"
    for name, told in (("missing", "No such file"), (".", ""), ("latin", "not UTF-8 at byte 3")):
        with pytest.raises(UsageError, match=f"cannot read .*{told}"):
            workspace.read_text(tmp_path / name)


def test_write_text_replaces_whole_and_leaves_nothing_aside(tmp_path: Path) -> None:
    """A file is made with its folders, replaced, written as UTF-8 with plain line ends, and nothing else is left."""
    path = tmp_path / "deep" / "report.md"
    workspace.write_text(path, "one\n")
    workspace.write_text(path, "zw\u00f6lf \ud800\n")
    assert path.read_bytes() == b"zw\xc3\xb6lf \\ud800\n"
    assert tree(tmp_path) == ["deep/report.md"]


def test_write_text_follows_a_link_and_writes_into_what_is_no_file(tmp_path: Path) -> None:
    """A link stays a link to the file it names, and a device stays a device."""
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    workspace.write_text(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"
    workspace.write_text(os.devnull, "gone")
    assert not Path(os.devnull).is_file()


def test_write_text_that_fails_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is a message, and the older file stays as it was."""
    path = tmp_path / "report.md"
    workspace.write_text(path, "old")
    monkeypatch.setattr(workspace, "_write", full_disk)
    with pytest.raises(UsageError, match="No space left"):
        workspace.write_text(path, "new")
    assert path.read_text() == "old"
    assert tree(tmp_path) == ["report.md"]


def full_disk(path: Path, text: str) -> None:
    path.write_bytes(text.encode()[:1])
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize(
    ("identifier", "stem"),
    [
        ("oven/once", "oven.once"),
        ("bakery-oven/work-phase-enters-working[baking]", "bakery-oven.work-phase-enters-working.baking"),
    ],
)
def test_file_stem_of_plain_ids_is_readable(identifier: str, stem: str) -> None:
    """An id of small letters, digits and hyphens keeps its words."""
    assert file_stem(identifier) == stem


def test_file_stem_is_safe_and_unique_for_any_id() -> None:
    """Odd ids get names that are legal everywhere and differ even where a file system ignores case."""
    odd = ["a/b[c]", "a/b-c", "a/b[C]", "a/b/c", "a/b[c.d]", "a/b[c_d]", "a/b[c d]", "A/b[c]", "con/b", "../b", "", "."]
    odd += ["a/b[" + "x" * 300 + "]", "a/b[" + "x" * 301 + "]", "a/b[\u00e9]", "a/b[\ud800]", "a/b[c]]", "a/b[[c]"]
    stems = [file_stem(each) for each in odd]
    assert len({each.lower() for each in stems}) == len(odd)
    for stem in stems:
        assert len(stem) < 150
        assert set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789-._")
        assert stem.split(".")[0] != "con"
        assert not stem.endswith(".")


def test_run_folder_appears_only_when_finished(tmp_path: Path) -> None:
    """The wanted folder is made with its parents at the end, whole, and nothing is left beside it."""
    out = tmp_path / "deep" / "run"
    with RunFolder.open(out) as folder:
        folder.write_scenario({"logs/oven.a/report-log.jsonl": "{}\n"})
        assert not out.exists()
        assert folder.finish("{}") == out
    assert tree(tmp_path) == ["deep/run/logs/oven.a/report-log.jsonl", "deep/run/run.json"]


def test_run_folder_replaces_an_earlier_run(tmp_path: Path) -> None:
    """A folder that holds a run is replaced as a whole."""
    for text in ("first", "second"):
        with RunFolder.open(tmp_path / "run") as folder:
            folder.write_scenario({f"{text}.jsonl": ""})
            folder.finish(text)
    assert tree(tmp_path) == ["run/run.json", "run/second.jsonl"]
    assert (tmp_path / "run" / "run.json").read_text() == "second"


def test_run_folder_refuses_other_folders_and_files(tmp_path: Path) -> None:
    """A non-empty folder without a run, a file, and a place below a file are refused and left as they are."""
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").write_text("keep")
    for out, told in (
        (tmp_path / "notes", "not empty"),
        (tmp_path / "notes" / "mine.txt", "is a file"),
        (tmp_path / "notes" / "mine.txt" / "run", "cannot make"),
    ):
        with pytest.raises(UsageError, match=told):
            RunFolder.open(out)
    assert tree(tmp_path) == ["notes/mine.txt"]


def test_run_folder_takes_an_empty_folder(tmp_path: Path) -> None:
    """An empty folder that stands there already is used."""
    (tmp_path / "run").mkdir()
    RunFolder.open(tmp_path / "run").finish("{}")
    assert tree(tmp_path) == ["run/run.json"]


def test_run_folder_that_is_aborted_leaves_the_earlier_run(tmp_path: Path) -> None:
    """Leaving by an exception throws the new files away and keeps what stood there."""
    RunFolder.open(tmp_path / "run").finish("old")
    with pytest.raises(ValueError, match="new name"), RunFolder.open(tmp_path / "run") as folder:
        folder.write_scenario({"new.jsonl": "", "../outside": ""})
    assert tree(tmp_path) == ["run/run.json"]
    assert (tmp_path / "run" / "run.json").read_text() == "old"


def test_run_folder_can_be_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--out .` fills the current folder in place, so that the shell still stands in it."""
    out = tmp_path / "here"
    out.mkdir()
    monkeypatch.chdir(out)
    for text in ("first", "second"):
        with RunFolder.open(".") as folder:
            folder.write_scenario({f"logs/{text}.jsonl": ""})
            folder.finish(text)
    assert tree(tmp_path) == ["here/logs/second.jsonl", "here/run.json"]
    assert os.path.samefile(".", out)


def test_run_folder_reads_the_earlier_run(tmp_path: Path) -> None:
    """The files of the run that stands at the wanted place can be read until it is replaced, and only those."""
    (tmp_path / "secret").write_text("not of the run")
    with RunFolder.open(tmp_path / "run") as folder:
        assert folder.earlier("run.json") is None
        folder.write_scenario({"logs/a.jsonl": "a"})
        folder.write_text("resume.json", "{}")
        folder.finish("first")
    with RunFolder.open(tmp_path / "run") as folder:
        found = [folder.earlier(each) for each in ("run.json", "logs/a.jsonl", "resume.json", "logs/b.jsonl", "logs")]
        assert found == ["first", "a", "{}", None, None]
        with pytest.raises(ValueError, match="not a new name"):
            folder.earlier("../secret")


def test_run_folder_says_when_the_disk_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be written ends the run with a message, and nothing half-written is left."""
    monkeypatch.setattr(workspace, "_write", full_disk)
    with pytest.raises(UsageError, match=r"a\.jsonl.*No space left"), RunFolder.open(tmp_path / "run") as folder:
        folder.write_scenario({"a.jsonl": "long"})
    assert tree(tmp_path) == []


@pytest.mark.parametrize("name", ["../a", "/a", "", "b/../../a", "logs/A.jsonl"])
def test_run_folder_takes_only_new_names_inside(tmp_path: Path, name: str) -> None:
    """A name outside the folder, or one that is taken on a system without case, is a fault of the caller."""
    folder = RunFolder.open(tmp_path / "run")
    folder.write_scenario({"logs/a.jsonl": ""})
    with pytest.raises(ValueError, match="not a new name"):
        folder.write_scenario({name: ""})
