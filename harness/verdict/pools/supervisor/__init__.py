"""What the judgments of the fixed supervisor see."""
