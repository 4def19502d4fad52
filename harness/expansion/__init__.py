"""Contract x adoption -> scenarios, with an account of every template and row."""
