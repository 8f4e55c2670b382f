"""The small pure language of expressions and programs, evaluated exactly over all worlds."""
