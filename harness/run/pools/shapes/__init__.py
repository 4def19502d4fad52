"""Runs of pools by what they show; which of them a template needs stands with its law."""
