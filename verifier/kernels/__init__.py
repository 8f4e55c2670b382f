"""Mathematics over exact numbers that engines share; no claim, no file, no JSON."""
