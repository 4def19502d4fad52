"""Words that every layer shares: positions, findings, verdicts and errors."""
