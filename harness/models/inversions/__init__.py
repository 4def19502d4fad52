"""Named breaches of the models, each of one step."""
