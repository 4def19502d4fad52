"""A contract test harness for job resolution."""

__version__ = "0.1.0"
