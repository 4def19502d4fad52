"""From text to typed contract and adoption, with every remark placed in the file."""
