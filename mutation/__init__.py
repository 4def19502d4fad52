"""Mutation testing of the judges and of the model: small faults are put into a copy, and the tests must notice."""
