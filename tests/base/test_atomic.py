from __future__ import annotations

import stat

import pytest

from ontomask.base.atomic import write_atomic


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path, write):
    path = write("old", "t")

    def fail(file):
        file.write(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_atomic(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_keeps_its_mode_unless_one_is_given(tmp_path, write):
    path = write("old", "t")
    path.chmod(0o640)
    write_atomic(path, b"new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o640)
    write_atomic(path, b"mine", mode=0o600)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]
