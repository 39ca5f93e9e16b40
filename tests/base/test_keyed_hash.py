import numpy as np
import pyarrow as pa
import pytest

from ontomask.base.compiled_hash import hash_integers
from ontomask.base.keyed_hash import draw_secret, hash_arrow, hash_keys, order_within

# The key 00, 01, …, 0f and the messages of 0 to 8 bytes 00, 01, … of the reference implementation of SipHash-2-4.
KEY = bytes(range(16))
SECRET = (int.from_bytes(KEY[:8], "little"), int.from_bytes(KEY[8:], "little"))
VECTORS = [
    "310e0edd47db6f72",
    "fd67dc93c539f874",
    "5a4fa9d909806c0d",
    "2d7efbd796666785",
    "b7877127e09427cf",
    "8da699cd64557618",
    "cee3fe586e46c9cb",
    "37d1018bf50002ab",
    "6224939a79f5f593",
]
FULL = 2**64 - 1


def literal(secret, message):
    """SipHash-2-4 of one message, step by step (Aumasson and Bernstein 2012, section 2)."""
    a, b = secret[0] ^ 0x736F6D6570736575, secret[1] ^ 0x646F72616E646F6D
    c, d = secret[0] ^ 0x6C7967656E657261, secret[1] ^ 0x7465646279746573

    def rotate(x, bits):
        return ((x << bits) | (x >> (64 - bits))) & FULL

    def mix(a, b, c, d):
        a, c = (a + b) & FULL, (c + d) & FULL
        b, d = rotate(b, 13) ^ a, rotate(d, 16) ^ c
        a = rotate(a, 32)
        c, a = (c + b) & FULL, (a + d) & FULL
        b, d = rotate(b, 17) ^ c, rotate(d, 21) ^ a
        return a, b, rotate(c, 32), d

    padded = message.ljust(len(message) // 8 * 8 + 7, b"\0") + bytes([len(message) % 256])
    for at in range(0, len(padded), 8):
        word = int.from_bytes(padded[at : at + 8], "little")
        d ^= word
        a, b, c, d = mix(*mix(a, b, c, d))
        a ^= word
    c ^= 0xFF
    for _ in range(4):
        a, b, c, d = mix(a, b, c, d)
    return a ^ b ^ c ^ d


def test_texts_have_the_published_hashes():
    # Bytes below 128 are their own UTF-8.
    texts = [bytes(range(n)).decode() for n in range(9)]
    found = [int(number).to_bytes(8, "little").hex() for number in hash_keys(SECRET, texts)]
    assert found == VECTORS


def test_texts_of_any_length_have_the_literal_hashes():
    texts = ["é" * n + "x" * (n % 3) for n in range(40)]
    assert hash_keys(SECRET, texts).tolist() == [literal(SECRET, text.encode()) for text in texts]


def test_an_integer_is_hashed_as_its_eight_bytes():
    number = int.from_bytes(bytes(range(8)), "little")
    assert int(hash_keys(SECRET, np.array([number]))[0]).to_bytes(8, "little").hex() == VECTORS[8]


def test_the_hash_of_a_key_does_not_depend_on_other_keys():
    keys = np.random.default_rng(0).integers(-(2**62), 2**62, 40_000)
    together = hash_keys((3, 4), keys)
    assert (together[::-1] == hash_keys((3, 4), keys[::-1])).all()
    texts = [str(key) for key in keys[:500].tolist()]
    assert (hash_keys((3, 4), texts)[::-1] == hash_keys((3, 4), texts[::-1])).all()


def test_equal_numbers_keep_their_order():
    numbers = np.random.default_rng(1).integers(0, 50, 1000).astype(np.uint64)
    groups = np.arange(1000) % 7
    by_group = np.lexsort((numbers, groups))
    assert (order_within(groups, numbers << np.uint64(58)) == by_group).all()
    assert (order_within(groups, numbers) == by_group).all()


def test_a_secret_has_128_bits_of_the_generator():
    secrets = {draw_secret(np.random.default_rng(seed)) for seed in range(50)}
    assert len(secrets) == 50
    assert max(part for secret in secrets for part in secret) > 2**62


def test_compiled_code_gives_the_same_hashes_of_integers():
    keys = np.random.default_rng(2).integers(-(2**63), 2**63 - 1, 1000)
    for secret in (SECRET, (0, 0), (2**64 - 1, 2**63)):
        assert (hash_integers(secret, keys) == hash_keys(secret, keys)).all()


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_texts_of_arrow_have_the_hashes_of_their_bytes(kind):
    rng = np.random.default_rng(3)
    texts = ["".join(rng.choice(list("aé漢\0"), size)) for size in rng.integers(0, 20, 300).tolist()]
    keys = pa.array(texts, kind)
    assert hash_arrow(SECRET, keys).tolist() == [int(hash_keys(SECRET, [text])[0]) for text in texts]
    assert (hash_arrow(SECRET, keys[7:90]) == hash_arrow(SECRET, keys)[7:90]).all()
    assert (hash_arrow(SECRET, pa.array([5, -5])) == hash_keys(SECRET, np.array([5, -5]))).all()
