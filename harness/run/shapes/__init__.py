"""How each template's `given` is constructed: one module for each group of templates."""
