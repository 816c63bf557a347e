"""What people read first has to run: every notebook, and every block of code on the pages about Python.

Hardly anything here is about noisy numbers. What is (verdicts of audits, a rare key that is not shown, a count that is nearly
right) fails with a probability below 10⁻⁹ a run.
"""

from __future__ import annotations

import doctest
import pathlib
import re

import nbclient
import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager

import pointillist

ROOT = pathlib.Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "python" / "examples").glob("*.ipynb"))
AUDIENCES = ["analyst", "data_scientist", "lecturer", "network_scientist", "owner", "statistician"]
#: A block of a page: its language, its text, and where it begins.
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: pathlib.Path) -> list[tuple[str, str, int]]:
    text = page.read_text(encoding="utf-8")
    return [(found[1], found[2], text.count("\n", 0, found.start(2))) for found in BLOCK.finditer(text)]


def read(path: pathlib.Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call,no-any-return]


def test_there_is_a_notebook_for_everybody() -> None:
    assert [path.stem for path in NOTEBOOKS] == AUDIENCES


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_its_outputs(path: pathlib.Path) -> None:
    notebook = read(path)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert 6 <= len(code) <= 12
    for cell in code:
        assert not cell.outputs and cell.execution_count is None, cell.source
    # Whose machine it was written on is nobody's business.
    assert set(notebook.metadata) == {"kernelspec", "language_info"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: pathlib.Path, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The kernel is this interpreter with this module, whatever else is installed for notebooks on the machine.
    monkeypatch.setenv("PYTHONPATH", str(pathlib.Path(pointillist.__file__).parents[1]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / ".ipython"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / ".jupyter"))
    manager = AsyncKernelManager(kernel_name="python3", kernel_spec_manager=KernelSpecManager(kernel_dirs=[]))
    notebook = read(path)
    client = nbclient.NotebookClient(
        notebook, km=manager, timeout=120, allow_errors=False, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    # What is shown to users is shown without complaints.
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            assert output.output_type != "error"
            assert output.get("name") != "stderr", output.text


@pytest.mark.parametrize("page", ["docs/python.md", "docs/book/data-scientist.md", "python/README.md"])
def test_a_page_about_python_runs(page: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = blocks(ROOT / page)
    # Code in another kind of block would not be run.
    assert {language for language, _, _ in found} <= {"pycon", "sh", "text"}
    namespace: dict[str, object] = {}
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    for language, text, line in found:
        if language == "pycon":
            block = doctest.DocTestParser().get_doctest(text, namespace, page, str(ROOT / page), line)
            assert block.examples, f"{page}, line {line}: nothing to run"
            runner.run(block, out=said.append, clear_globs=False)
            # A test has a copy of the names that it was given.
            namespace = block.globs
    assert runner.tries > 0
    assert runner.failures == 0, "".join(said)


def test_a_page_for_those_who_come_from_elsewhere_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "python-migration.md"
    # What is not marked is code of other libraries, or needs a folder that the page asks its reader to fill in.
    ours = [(text, line) for _, text, line in blocks(page) if text.startswith("# Pointillist\n")]
    assert ours
    namespace: dict[str, object] = {}
    for text, line in ours:
        exec(compile("\n" * line + text, str(page), "exec"), namespace)
