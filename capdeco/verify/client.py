"""The package client: pip, with what it needs to reach this machine's index, and nothing else of its configuration."""

from __future__ import annotations

import ast
import importlib.util
import os
import site
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

from capdeco.verify.throwaway import Ended, Failed, Throwaway

Client: TypeAlias = Sequence[str | Path]
"""The beginning of every pip command."""

_OF_THE_INDEX: Final = (
    *("index-url", "extra-index-url", "no-index", "find-links", "trusted-host", "cert", "client-cert", "proxy"),
    *("retries", "timeout", "default-timeout", "keyring-provider", "constraint", "build-constraint"),
    *("pre", "only-binary", "no-binary", "prefer-binary"),
)
"""The options of pip that say where packages come from. Others could have it write elsewhere (target, user, root)."""

_OF_THE_NETWORK: Final = (
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)


def make_venv(profile: Throwaway) -> Client:
    """Make the venv, and give the pip that installs into it: this Python's own, which saves a copy, else the venv's.

    Raises:
        Failed: there is no venv.
    """
    venv = [sys.executable, "-I", "-m", "venv", str(profile.root / "venv")]
    own = _has_pip()
    demand(profile.run([*venv, "--without-pip"] if own else venv), "the venv could not be made")
    if own:
        return [sys.executable, "-I", "-m", "pip", "--python", profile.python]
    return [profile.python, "-I", "-m", "pip"]


def _has_pip() -> bool:
    """Tell whether `python -I -m pip` works here; with another HOME, what lies in the user's folder is not found."""
    found = importlib.util.find_spec("pip")
    return found is not None and not Path(found.origin or "").is_relative_to(site.getuserbase())


def configuration(profile: Throwaway, pip: Client) -> dict[str, str]:
    """Give what pip knows of the index, from all its files and variables, as environment variables.

    Raises:
        Failed: a file of it cannot be read.
    """
    found = {name: os.environ[name] for name in _OF_THE_NETWORK if name in os.environ}
    netrc = Path(os.environ.get("NETRC", Path.home() / ".netrc"))
    if netrc.is_file():
        found["NETRC"] = str(netrc)
    listed = profile.run([*pip, "config", "list"], cwd=Path.cwd(), env=os.environ)
    demand(listed, "pip could not read its configuration")
    # In the order in which the later one holds.
    sections: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in listed.out.splitlines():
        key, _, value = line.partition("=")
        section, _, option = key.rpartition(".")
        if option in _OF_THE_INDEX and section in sections:
            sections[section][option] = ast.literal_eval(value)
    options = {option: value for section in sections.values() for option, value in section.items()}
    return {
        **found,
        **{f"PIP_{option.upper().replace('-', '_')}": value for option, value in options.items()},
        "PIP_CONFIG_FILE": os.devnull,  # pip's word for "no file at all"
        "PIP_CACHE_DIR": str(profile.root / "cache"),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INPUT": "1",
    }


def demand(ended: Ended, otherwise: str) -> None:
    """Go on if the process ended well.

    Raises:
        Failed: *otherwise*, with what pip said.
    """
    if ended.status is None:
        why = "it prints without end" if ended.flooded else "the time ran out"
        raise Failed(f"{otherwise}: {why}", _last(ended.out.splitlines()))
    if ended.status != 0:
        lines = ended.err.splitlines()
        errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
        # Which requirements contradict each other pip says as if it were progress.
        _, _, conflict = ended.out.partition("The conflict is caused by:\n")
        shown = [*conflict.partition("\n\n")[0].splitlines(), *lines] or ended.out.splitlines()
        raise Failed(f"{otherwise}: {errors[0]}" if errors else otherwise, _last(shown))


def _last(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.strip() and not line.startswith(("WARNING", "Looking in"))][-12:]
