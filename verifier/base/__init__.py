"""Numbers, faults and files, for all other rooms."""
