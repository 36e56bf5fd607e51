"""Bind on import: a finder that sees the plain imports of the packages it was given, and no others."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, cast


class ImportWatch(MetaPathFinder):
    """Calls *on_import* with a package's name once its import has succeeded; what that raises, the import raises."""

    def __init__(self, packages: Iterable[str], on_import: Callable[[str], object]) -> None:
        self._packages = frozenset(packages)
        self._on_import = on_import

    def start(self) -> None:
        """Watch from now on; before every other finder, so that none can import past it."""
        sys.meta_path.insert(0, self)

    def stop(self) -> None:
        """Watch no longer; twice is fine."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find as the other finders would, and listen to the import of a watched package."""
        if fullname not in self._packages:
            return None
        for finder in sys.meta_path:
            if isinstance(finder, ImportWatch):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                if spec.loader is not None:
                    spec.loader = cast(Loader, _Announcing(spec.loader, fullname))
                return spec
        return None

    def watches(self, name: str) -> bool:
        """Whether *name* is one of the packages."""
        return name in self._packages

    def announce(self, name: str) -> None:
        """Tell that *name* was imported."""
        self._on_import(name)


class _Announcing:
    """The real loader in all that it can, but when it has run a module it tells the watches.

    What finds a spec need not import: `python -m`, resources and inspection ask the loader for the rest.
    """

    def __init__(self, loader: Loader, name: str) -> None:
        self._loader = loader
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        # Whoever asks from here on asks the real loader.
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        # Those that watch now, not when it was found. Two hosts may wait for one package.
        for watch in [each for each in sys.meta_path if isinstance(each, ImportWatch)]:
            if watch.watches(self._name):
                watch.announce(self._name)
