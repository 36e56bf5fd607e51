"""What a docstring says of parameters goes to the parameters; the rest stays as it was written."""

from __future__ import annotations

import pytest

from capdeco.docstring import Docstring, read_docstring

CASES: dict[str, tuple[str, Docstring]] = {
    "nothing": ("", Docstring("")),
    "no section": ("One line.", Docstring("One line.")),
    "Google": (
        """Read a file.

        More about it.

        Args:
            path: where it is,
                absolute or not.

                A second paragraph.
            mode (str, optional): how to read it. Defaults to "r".
            **more (int): the rest: all of it.

        Returns:
            str: its text.

        Raises:
            OSError: it is not there.
        """,
        Docstring(
            "Read a file.\n\nMore about it.\n\nReturns:\n    str: its text.\n\nRaises:\n    OSError: it is not there.",
            {
                "path": "where it is,\nabsolute or not.\n\nA second paragraph.",
                "mode": 'how to read it. Defaults to "r".',
                "more": "the rest: all of it.",
            },
        ),
    ),
    "Google, two sections": (
        "Do.\n\nArgs:\n    a: one\n\nNote:\n    Well.\n\nKeyword Args:\n    b: two",
        Docstring("Do.\n\nNote:\n    Well.", {"a": "one", "b": "two"}),
    ),
    "NumPy": (
        """Read a file.

        Parameters
        ----------
        path : str
            Where it is,
            absolute or not.
        x, y : int, optional
            Both.

        Returns
        -------
        str
            Its text.
        """,
        Docstring(
            "Read a file.\n\nReturns\n-------\nstr\n    Its text.",
            {"path": "Where it is,\nabsolute or not.", "x": "Both.", "y": "Both."},
        ),
    ),
    "Sphinx": (
        """Read a file.

        :param path: where it is,
            absolute or not
        :type path: str
        :param int mode: how
        :returns: its text
        """,
        Docstring("Read a file.\n\n:returns: its text", {"path": "where it is,\nabsolute or not", "mode": "how"}),
    ),
    "only a section": ("\n    Args:\n        a: one\n    ", Docstring("", {"a": "one"})),
    "a section right below the text": ("Do.\nArgs:\n    a: one\nMore.", Docstring("Do.\nMore.", {"a": "one"})),
    "prose under such a heading": (
        "Do.\n\nParameters:\n\nThey are explained elsewhere.",
        Docstring("Do.\n\nParameters:\n\nThey are explained elsewhere."),
    ),
    "a heading inside of a line": ("Do. Args: none.", Docstring("Do. Args: none.")),
    "a heading inside of an example": (
        "Do.\n\nLike this:\n\n    Args:\n        a: one",
        Docstring("Do.\n\nLike this:\n\n    Args:\n        a: one"),
    ),
    "verbatim": (
        "  Täglich  neu:\n\n\n    - eins\n    - zwei  \n\n  שלום, עולם\n\n  Args:\n      שם: מה שמו\n",
        Docstring("Täglich  neu:\n\n\n  - eins\n  - zwei  \n\nשלום, עולם", {"שם": "מה שמו"}),  # noqa: RUF001 - meant
    ),
}


@pytest.mark.parametrize(("text", "expected"), [pytest.param(*case, id=name) for name, case in CASES.items()])
def test_a_docstring_is_taken_apart(text: str, expected: Docstring) -> None:
    assert read_docstring(text) == expected
