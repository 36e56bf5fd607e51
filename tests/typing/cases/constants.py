"""What other cases import."""

from typing import Final

import attrs

from capdeco import Step

from tests.typing.cases.catalog import catalog_crop, catalog_read

READ: Final = "catalog_read"
FIELD: Final = "margins"
READING = Step(catalog_read)
CROPPING = Step(catalog_crop, from_=FIELD)
BOTH = (READING, CROPPING)
AS_LIST = [READING, CROPPING]


@attrs.frozen
class Wide:
    left: int
    right: int
    top: int = 0
