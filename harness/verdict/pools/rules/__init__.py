"""What pool laws have in common, as rules over evidence; a law's judgments name the clauses that they are for."""
