"""Mathematics over exact numbers that engines share.

May enter: numbers, matrices and networks.
Must not know: claims, files, JSON.
"""
