"""What a correct system may do: pure models, state and input in, next state and actions out.

Nothing here reads a file, a clock or a random number, and nothing here imports the rest of the harness.
"""
