"""Pool laws as contracts: an adoption bound to its model, runs planned and recorded as named logs."""
