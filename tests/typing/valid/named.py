"""Steps and names that another module uses."""

from typing import Final

from capdeco import Step
from tests.typing.valid.tools import layout, read_file

TOOL: Final = "read_file"
FIELD: Final = "options"
READING = Step(read_file)
LAYING = Step(layout, from_=FIELD)
BOTH = (READING, LAYING)
