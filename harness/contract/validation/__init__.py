"""Everything that can be said about an adoption file, all of it at once.

Five kinds of finding, one module or more each: the file, the shape, references, the questions, and what the contract
itself calls invalid.
"""

from __future__ import annotations

from harness.contract.validation.catalogue import RULES
from harness.contract.validation.validate import Validation, validate_adoption, validate_document

__all__ = ["RULES", "Validation", "validate_adoption", "validate_document"]
