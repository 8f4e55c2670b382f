"""Numbers, faults and files, for all other rooms.

May enter: texts and bytes of files.
Must not know: worlds, mechanisms, privacy.
"""
