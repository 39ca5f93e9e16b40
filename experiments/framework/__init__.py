"""The framework of all experiments: tables and seeds -> measurements -> claims -> page.

``settings`` says which data there are, ``tables`` makes tables, ``measurements`` measures methods on them and keeps one
number per row, ``claims`` judges claims by these rows, and ``pages`` writes a page from both. A page can be written
again without measuring.
"""
