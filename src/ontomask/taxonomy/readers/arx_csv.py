def can_read(path): return False
