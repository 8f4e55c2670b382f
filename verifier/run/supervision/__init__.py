"""Work in processes that can be stopped: limits on time and memory that hold in native code too."""
