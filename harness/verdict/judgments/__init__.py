"""The judgments: one module for each group of templates; every module here is imported and registers its clauses."""
