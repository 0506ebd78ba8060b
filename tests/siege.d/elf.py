# SPDX-License-Identifier: ISC
"""Writes programs of x86-64 that wait, with the sections of an attack."""
import os
import struct

BASE = 0x400000
PC = BASE + 0x200  # where the program is while it waits
PAUSE = bytes([0xB8, 34, 0, 0, 0, 0x0F, 5, 0xEB, 0xF7])  # pause(2), again
SPIN = bytes([0xEB, 0xFE])

PROGBITS, SYMTAB, STRTAB = 1, 2, 3


def section(kind, offset, size, link=0, entry=0, name=0):
    """A section header; that of the code has an address."""
    code = kind == PROGBITS and name == 1
    return struct.pack("<IIQQQQIIQQ", name, kind, 6 if code else 0,
                       PC if code else 0, offset, size, link, 1, 1, entry)


def write(path, code, contents):
    """
    contents: of each section after the code (name, type, link, bytes of an
    entry, bytes).
    """
    image = bytearray(0x1000)
    image[0x200:0x200 + len(code)] = code
    names = b"\0.text\0"
    headers = bytes(64) + section(PROGBITS, 0x200, 0x100, name=1)
    for name, kind, link, entry, data in contents:
        headers += section(kind, len(image), len(data), link, entry, len(names))
        names += name + b"\0"
        image += data + bytes(-len(data) % 8)
    headers += section(STRTAB, len(image), len(names) + 10, name=len(names))
    image += names + b".shstrtab\0" + bytes(-(len(names) + 10) % 8)
    struct.pack_into("<16sHHIQQQIHHHHHH", image, 0, b"\x7fELF\2\1\1", 2, 62, 1,
                     PC, 64, len(image), 0, 64, 56, 1, 64, len(contents) + 3,
                     len(contents) + 2)
    struct.pack_into("<IIQQQQQQ", image, 64, 1, 5, 0, BASE, BASE, 0x1000,
                     0x1000, 0x1000)
    with open(path, "wb") as f:
        f.write(image + headers)
    os.chmod(path, 0o755)


def linked(path, code, debugfile):
    """A program without symbols that names a file with them."""
    link = debugfile.encode() + bytes(4 - len(debugfile) % 4) + bytes(4)
    write(path, code, [(b".gnu_debuglink", PROGBITS, 0, 0, link)])


def endless(path, nsyms=20000, nbytes=16 << 20):
    """Many symbols at one address, all with an endless name."""
    symbols = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", 1 + i % 1000, 0x12, 0, 1, PC, 16)
        for i in range(nsyms))
    write(path, PAUSE, [(b".symtab", SYMTAB, 3, 24, symbols),
                        (b".strtab", STRTAB, 0, 0, b"\0" + b"x" * nbytes)])
