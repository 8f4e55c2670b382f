"""Random draws that nobody has looked at, and the exact probability of comparing them.

May enter: families of draws, and the comparisons between them.
Must not know: worlds and programs.

Mathematics only: no files, no programs. `draws` has the laws, sums of draws and comparisons;
`sums` exact numbers with powers of e; `pieces` functions of one draw; `trees` and `cells`
eliminate one draw at a time; `probability` says how likely a conjunction of comparisons is.
"""
