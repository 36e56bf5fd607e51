"""What a stranger gets: the wheel alone in an empty venv, and `make demo` in a clone."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path


def run(command: list[str], cwd: Path, *, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("VIRTUAL_ENV", "PYTHON", "MAKE"))
    }
    if path is not None:
        environment["PATH"] = path
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done


def test_the_wheel_holds_the_package_its_types_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"capdeco"}
    assert "capdeco/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_alone_in_an_empty_venv_it_checks_and_runs_the_readmes_example(
    wheel: Path, clone: Path, tmp_path: Path
) -> None:
    run([sys.executable, "-m", "venv", str(tmp_path / "venv")], tmp_path)
    bin_ = tmp_path / "venv" / "bin"
    run([str(bin_ / "python"), "-m", "pip", "install", "--quiet", f"{wheel}[mypy]"], tmp_path)
    example = tmp_path / "quickstart.py"
    example.write_text((clone / "examples" / "quickstart.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = True\nplugins = capdeco.check.mypy_plugin\n")
    assert "Success" in run([str(bin_ / "mypy"), "quickstart.py"], tmp_path).stdout
    assert "notes_review" in run([str(bin_ / "python"), "quickstart.py"], tmp_path).stdout


def test_make_demo_runs_the_main_job_in_a_clone(clone: Path) -> None:
    # A machine's own PATH: the venv that runs these tests is not on it.
    path = os.pathsep.join(
        each for each in os.environ.get("PATH", "").split(os.pathsep) if Path(each) != Path(sys.executable).parent
    )
    shown = run(["make", "demo"], clone, path=path).stdout
    assert "Success: no issues found" in shown
    assert "[capdeco-unused]" in shown
    assert "registered: []" in shown
    audit = [line.split()[:2] for line in shown.splitlines() if line.startswith(("nested ", "root "))]
    assert audit == [["nested", "pdf_extract"], ["nested", "pdf_layout"], ["root", "pdf_analyze"]]
