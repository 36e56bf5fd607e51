"""`capdeco verify`: every kind of failure, by the real command, with real packages in real venvs."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from capdeco import Binder, Call, EmbeddedHost, settings
from capdeco.commands.verify import command
from capdeco.host.policy import Accept
from capdeco.verify.boot import boot
from capdeco.verify.child import ANSWER, QUESTION, Base, answer_of, echo
from capdeco.verify.compose import compose
from capdeco.verify.install import Package
from capdeco.verify.throwaway import Failed, Throwaway, throwaway
from tests.verify.conftest import PACKAGES, RUNS, Machine, Run, Runs, snapshot

GOOD = Package("verify-good", "1.0")

RunOf = Callable[[str], Run]


def test_a_good_plugin_is_verified_stage_by_stage(run_of: RunOf) -> None:
    run = run_of("good")
    assert run.status == 0, run.report
    assert run.report["verified"] is True
    assert [each["name"] for each in run.report["stages"]] == ["install", "compose", "types", "boot"]
    assert "no issues found" in run.stage("types")["what"]
    assert "VERIFY-OK through a nested dispatch, probe notes_review answered" in run.stage("boot")["what"]
    good, quiet = run.report["plugins"]
    assert (good["plugin"], good["version"], good["tools"], good["capabilities"]) == (
        ("good", "1.0", ["notes_review"], ["notes"])
    )
    assert good["bytes"] > 0
    assert (quiet["plugin"], quiet["tools"], quiet["bytes"]) == ("quiet", [], 0)


def test_it_promotes_nothing_and_says_how_to(run_of: RunOf) -> None:
    report = run_of("good").report
    assert report["install"] == f"{sys.executable} -m pip install {PACKAGES / 'good'}"
    assert "pip freeze" in report["back_up"][0]
    assert run_of("twice").report["install"] is None


@pytest.mark.parametrize(
    ("package", "stage", "words", "at"),
    [
        (
            "raises",
            "boot",
            "it raises while loading \"raises\": KeyError: 'VERIFY_TOKEN'",
            'os.environ["VERIFY_TOKEN"]',
        ),
        ("exits", "boot", 'it exits while loading "exits": SystemExit: no settings in …/home', "sys.exit("),
        ("hangs", "boot", 'it hangs: loading "hangs" took longer than', "threading.Event().wait()"),
        ("prints", "boot", "it prints to stdout", "sys.stdout.write("),
        ("kills", "boot", 'it was killed while loading "kills": SIGKILL by os.kill', "os.kill("),
        ("asks", "boot", 'it reads stdin while loading "asks"', "input("),
    ],
)
def test_a_plugin_that_misbehaves_at_load_is_caught_at_boot_with_the_line_that_failed(
    run_of: RunOf, package: str, stage: str, words: str, at: str
) -> None:
    run = run_of(package)
    assert run.status == 1
    assert run.stage("compose")["ok"] is True
    found = run.stage(stage)
    assert found["ok"] is False
    assert found["what"].startswith(words)
    source = (PACKAGES / package / f"verify_{package}.py").read_text().splitlines()
    (number,) = (number for number, line in enumerate(source, 1) if at in line)
    assert found["lines"][0].endswith(f"/verify_{package}.py:{number}")
    assert any(f"verify_{package}.py" in line and f"line {number}" in line for line in found["lines"][1:])


@pytest.mark.parametrize(
    ("package", "stage", "words"),
    [
        ("unmet", "install", "attrs>=9999"),
        ("no_entry", "compose", "has no entry point in the group capdeco.plugins"),
        ("no_entry", "compose", 'the group "capdeco.plugin" is not read'),
        ("miswired", "types", 'verify_miswired.py:15: error: the parameter "minimum" reaches no step'),
        ("miswired", "boot", 'verify_miswired.py:15: notes.review: the parameter "minimum" reaches no step'),
        ("twice", "boot", 'the capability id "notes" is already taken'),
    ],
)
def test_a_package_that_cannot_work_fails_in_the_stage_that_sees_it(
    run_of: RunOf, package: str, stage: str, words: str
) -> None:
    run = run_of(package)
    assert run.status == 1
    found = run.stage(stage)
    assert found["ok"] is False
    assert words in "\n".join([found["what"], *found["lines"]])


def test_a_stage_that_needs_a_failed_one_is_not_begun(run_of: RunOf) -> None:
    assert [each["name"] for each in run_of("unmet").report["stages"]] == ["install"]
    assert [each["name"] for each in run_of("no_entry").report["stages"]] == ["install", "compose"]


def test_a_hanging_plugin_is_killed_with_all_that_it_started(run_of: RunOf) -> None:
    run = run_of("hangs")
    with (run.kept / "home" / "alive").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_nothing_outside_is_touched_and_the_throwaway_profile_is_gone(run_of: Runs) -> None:
    for name, arguments in RUNS.items():
        run = run_of(name)
        left = [run.kept] if "--keep" in arguments else []
        assert list(run.temporary.iterdir()) == left, name
    for folder, before in run_of.before.items():
        assert snapshot(folder) == before


# Ending it


def test_ctrl_c_while_installing_leaves_nothing(machine: Machine) -> None:
    process = machine.start("interrupted", PACKAGES / "good")
    assert process.stdout is not None
    process.stdout.readline()
    # Not any file: Python first tries whether it can write there, and nothing is to be cleared up yet.
    while not any((machine.root / "interrupted").glob("capdeco-verify-*")):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == -signal.SIGINT
    assert list((machine.root / "interrupted").iterdir()) == []


def test_sigterm_while_a_plugin_hangs_leaves_nothing(machine: Machine) -> None:
    process = machine.start("terminated", PACKAGES / "hangs", "--smoke")
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith("compose"):
            break
    process.send_signal(signal.SIGTERM)
    process.communicate()
    assert process.returncode == -signal.SIGTERM
    assert list((machine.root / "terminated").iterdir()) == []


def test_it_ends_within_its_timeout_wherever_it_is(machine: Machine) -> None:
    run = machine.verify("hasty", PACKAGES / "good", "--timeout", "3")
    assert run.status == 1
    assert "the time ran out" in run.stage("install")["what"]
    assert run.stage("install")["seconds"] <= 3
    assert list(run.temporary.iterdir()) == []


# What is verified


def test_a_wheel_is_verified_without_building_anything(machine: Machine) -> None:
    (wheel,) = (machine.root / "wheels").glob("verify_good-*.whl")
    run = machine.verify("wheel", wheel, "--no-build")
    assert run.status == 0
    assert run.stage("compose")["what"] == "good 1.0: verify_good.notes; quiet 1.0: verify_good.quiet:setup"


@pytest.fixture
def profile(run_of: RunOf, tmp_path: Path) -> Throwaway:
    """A copy of the profile that the good plugin was verified in."""
    shutil.copytree(run_of("good").kept, tmp_path / "profile", symlinks=True, copy_function=os.link)
    (tmp_path / "profile" / "events.jsonl").unlink()
    return Throwaway(tmp_path / "profile", 300, time.monotonic() + 300)


def rewrite(path: Path, text: str) -> None:
    path.unlink()  # it is a link to the one that was kept
    path.write_text(text)


def why_not_composed(profile: Throwaway) -> str:
    with pytest.raises(Failed) as caught:
        compose(profile, GOOD)
    return "\n".join([caught.value.what, *caught.value.lines])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('plugins = ["god"]\n', 'no plugin "god" is installed\ndid you mean "good"?'),
        ("plugins = []\n", "names no plugin of verify-good\nthe package registers good, quiet"),
        ('plugins = [{name = "good", option = {}}]\n', 'did you mean "options"?'),
    ],
)
def test_a_profile_that_does_not_name_the_plugin_fails_at_compose(profile: Throwaway, text: str, words: str) -> None:
    rewrite(profile.source / "capdeco.toml", text)
    assert words in why_not_composed(profile)


def test_a_table_that_only_names_tool_modules_is_no_profile(profile: Throwaway) -> None:
    (profile.source / "capdeco.toml").unlink(missing_ok=True)
    project = profile.source / "pyproject.toml"
    rewrite(project, f'{project.read_text()}\n[tool.capdeco]\ntool_modules = ["verify_good.notes"]\n')
    composed = compose(profile, GOOD)
    assert [row.name for row in composed.rows] == ["good", "quiet"]
    assert settings.read(composed.profile) == {"plugins": ["good", "quiet"], "tool_modules": ["verify_good.notes"]}


def test_a_module_that_was_not_packaged_fails_at_compose(profile: Throwaway) -> None:
    (module,) = (profile.root / "venv").rglob("verify_good/notes.py")
    module.unlink()
    words = 'the plugin "good" is the module verify_good.notes, and there is no file of it'
    assert words in why_not_composed(profile)


def test_a_variable_that_the_profile_names_reaches_the_plugin_but_never_as_another_home(
    profile: Throwaway, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = 'plugins = [{name = "quiet", options = {key = "${NAMED}", folder = "${HOME}"}}]\n'
    rewrite(profile.source / "capdeco.toml", options)
    monkeypatch.setenv("NAMED", "by the profile")
    with pytest.raises(Failed, match=r"was given \{'key': 'by the profile', 'folder': '…/home'\}"):
        boot(profile, compose(profile, GOOD))


SETUP = "\n\ndef setup(binder, options):\n    pass\n"


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("import os\nos._exit(0)\n", 'it ended the process while loading "quiet": exit code 0 by os._exit(0)', 2),
        ("import os\nos.abort()\n", 'it was killed while loading "quiet": SIGABRT', 2),
        ("def setup(:\n", 'it raises while loading "quiet": SyntaxError', 1),
        ("try:\n    input()\nexcept Exception:\n    pass" + SETUP, "it reads stdin, and goes on without", 2),
        ("import os\nos.write(1, b'hello')" + SETUP, "it prints to stdout, which may be a protocol's: 'hello'", None),
        ("def set_up(binder, options):\n    pass\n", 'it raises while loading "quiet": AttributeError', None),
        ("async def setup(binder, options):\n    pass\n", 'it was refused while loading "quiet"', None),
    ],
)
def test_other_ways_to_misbehave_have_their_own_words_too(
    profile: Throwaway, text: str, words: str, line: int | None
) -> None:
    (module,) = (profile.root / "venv").rglob("verify_good/quiet.py")
    rewrite(module, text)
    with pytest.raises(Failed) as caught:
        boot(profile, compose(profile, GOOD))
    assert caught.value.what.startswith(words)
    if line is not None:
        assert caught.value.lines[0].endswith(f"/verify_good/quiet.py:{line}")


def test_options_that_a_host_would_refuse_are_refused_here(profile: Throwaway) -> None:
    rewrite(profile.source / "capdeco.toml", "plugins = [{ name = 'good', options = { loud = true } }]\n")
    with pytest.raises(Failed, match='it was refused while loading "good"') as caught:
        boot(profile, compose(profile, GOOD))
    assert "takes no options" in caught.value.lines[0]


@pytest.mark.parametrize(
    ("instead", "said"),
    [({"withheld": True}, '{"withheld":true}'), ({"ok": True, "steps": []}, '{"ok":true,"steps":[]}')],
)
def test_an_answer_that_policy_replaced_is_told_as_it_is(instead: Any, said: str) -> None:
    host = EmbeddedHost()
    Binder(host).register(echo, Base)
    assert answer_of(host.call_sync(Call(QUESTION))) == ANSWER
    host.post_execute(lambda call, outcome: None if call.nested else Accept(value=instead))
    assert answer_of(host.call_sync(Call(QUESTION))) == said


def test_a_thread_that_a_plugin_leaves_running_does_not_hold_up_the_answer(profile: Throwaway) -> None:
    (module,) = (profile.root / "venv").rglob("verify_good/quiet.py")
    rewrite(module, "import threading\nthreading.Thread(target=threading.Event().wait).start()" + SETUP)
    assert boot(profile, compose(profile, GOOD)).probes == ("notes_review",)


@pytest.mark.parametrize("probe", ['tool = "note_find", arguments = { word = "x" }', 'tool = "notes_review"'])
def test_a_probe_that_is_not_answered_fails(profile: Throwaway, probe: str) -> None:
    rewrite(profile.source / "capdeco.toml", f'plugins = [{{ name = "good", probe = {{ {probe} }} }}]\n')
    with pytest.raises(Failed, match='the probe of "good" failed'):
        boot(profile, compose(profile, GOOD))


def test_a_process_that_prints_without_end_is_stopped() -> None:
    with throwaway(60, keep=False) as profile:
        ended = profile.run([sys.executable, "-c", "while True: print('x' * 10_000)"])
    assert (ended.status, ended.flooded) == (None, True)
    assert not profile.root.exists()


# The command line


def test_bad_arguments_are_told_from_a_failure(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("no wheel")
    for arguments in (
        ["/no/such/folder"],
        [str(tmp_path)],
        [str(tmp_path / "note.txt")],
        [str(PACKAGES / "good"), "--no-build"],
        [str(PACKAGES / "good"), "--timeout", "0"],
    ):
        assert CliRunner().invoke(command, arguments).exit_code == 2, arguments


def test_help_and_report_say_what_it_does_not_protect_from(run_of: RunOf) -> None:
    assert "accidents, not from malice" in " ".join(CliRunner().invoke(command, ["--help"]).output.split())
    assert "accidents, not from malice" in run_of("good").report["notice"]
