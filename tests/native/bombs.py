#!/usr/bin/env python3
"""Makes files that cost a profiler everything: bombs.py FOLDER [SEED...]

Each is a program that spins in its own page of code, so that a profile of the machine has to look into it. The first
four are those that killed Wick 0.1.0; the others are their siblings. A SEED makes one more, with sizes and kinds mixed at
random. Prints one path per line. Files are small or sparse, but for `functions`.
"""
import array
import lzma
import os
import random
import struct
import sys
import zlib

BASE = 0x400000
CODE = 0x1000  # where the code page is in the file
PC = BASE + CODE
ALLOC, EXEC, COMPRESSED = 2, 4, 0x800
PROGBITS, SYMTAB, STRTAB, RELA, NOTE, DYNSYM = 1, 2, 3, 4, 7, 11
MANY = 65_000


class Elf:
    """Sections are (name, type, flags, address, offset, size, link, info, entry size); what is put stands at its offset."""

    def __init__(self, path):
        self.file = open(path, "wb")
        self.end = 2 * CODE
        self.names = b"\0"
        self.offsets = {}
        self.headers = [bytes(64)]
        self.file.seek(CODE)
        self.file.write(b"\xeb\xfe" + b"\x90" * 254)  # jmp to itself

    def put(self, data):
        at = self.end
        self.file.seek(at)
        self.file.write(data)
        self.end = (at + len(data) + 15) & ~15
        return at

    def hole(self, size):
        at = self.end
        self.end += (size + 15) & ~15
        return at

    def section(self, name, kind, flags, address, offset, size, link=0, info=0, entry=0, times=1):
        name = name.encode()
        if name not in self.offsets:
            self.offsets[name] = len(self.names)
            self.names += name + b"\0"
        header = struct.pack("<IIQQQQIIQQ", self.offsets[name], kind, flags, address, offset, size, link, info, 16, entry)
        self.headers += [header] * times
        return len(self.headers) - 1

    def close(self):
        names_at = self.put(self.names + b".shstrtab\0")
        self.headers.append(struct.pack("<IIQQQQIIQQ", len(self.names), STRTAB, 0, 0, names_at, len(self.names) + 10, 0, 0, 1, 0))
        count = len(self.headers)
        if count >= 0xFF00:  # numbers too large for the header
            self.headers[0] = struct.pack("<IIQQQQIIQQ", 0, 0, 0, 0, 0, count, count - 1, 0, 0, 0)
        headers_at = self.put(b"".join(self.headers))
        ident = b"\x7fELF\x02\x01\x01" + bytes(9)
        large = count >= 0xFF00
        header = struct.pack("<HHIQQQIHHHHHH", 2, 62, 1, PC, 64, headers_at, 0, 64, 56, 1, 64, 0 if large else count, 0xFFFF if large else count - 1)
        segment = struct.pack("<IIQQQQQQ", 1, 5, CODE, PC, PC, CODE, CODE, 0x1000)
        self.file.seek(0)
        self.file.write(ident + header + segment)
        self.file.truncate(max(self.end, 2 * CODE))
        self.file.close()


def packed(blocks, size):
    """A compressed section of `size` bytes, from an iterable of blocks."""
    pack = zlib.compressobj(6)
    out = [struct.pack("<IIQQ", 1, 0, size, 16)]
    out += [pack.compress(block) for block in blocks]
    return b"".join(out) + pack.flush()


def cie(program=b""):
    body = struct.pack("<IB", 0, 1) + b"zR\0" + b"\x01\x78\x10" + b"\x01\x1b" + b"\x0c\x07\x08\x90\x01" + program
    body += bytes(-len(body) % 4)
    return struct.pack("<I", len(body)) + body


def fde(at, begin, size, program, cie_at=0, address=0):
    """`at`: of the record in the section; pcrel, so the section's address counts."""
    body = struct.pack("<Ii", at + 4 - cie_at, begin - (address + at + 8)) + struct.pack("<I", size) + b"\0" + program
    body += bytes(-len(body) % 4)
    return struct.pack("<I", len(body)) + body


def symbol(name, value, size, kind=0x12):
    return struct.pack("<IBBHQQ", name, kind, 0, 1, value, size)


# --- The four that killed Wick 0.1.0

def plt_sections(elf, random_):
    """65,000 .plt sections over one compressed block."""
    block = packed([b"\xff\x25\x00\x00\x00\x00\x66\x90" * 131_072] * 8, 8 << 20)
    at = elf.put(block)
    elf.section(".plt", PROGBITS, ALLOC | EXEC | COMPRESSED, PC, at, len(block), entry=8, times=MANY)
    rela = elf.put(struct.pack("<QQq", PC, 7 | 1 << 32, 0) * 64)
    elf.section(".rela.plt", RELA, ALLOC, 0, rela, 64 * 24, entry=24)


def advances(elf, random_):
    """A compressed .eh_frame with one function of 256 million advances."""
    head = cie()
    rows = (1 << 28) - 256
    body = struct.pack("<Ii", len(head) + 4, PC - (len(head) + 8)) + struct.pack("<I", 0x7FFFFFFF) + b"\0"
    record = head + struct.pack("<I", len(body) + rows) + body
    blocks = [record] + [b"\x41" * (1 << 20)] * ((rows >> 20) + 1)
    data = packed(blocks, len(record) + rows)
    at = elf.put(data)
    elf.section(".eh_frame", PROGBITS, ALLOC | COMPRESSED, 0, at, len(data))


def relocations(elf, random_):
    """400 MB of sparse .rela.plt, 65,000 times."""
    at = elf.hole(400 << 20)
    elf.section(".rela.plt", RELA, ALLOC, 0, at, 400 << 20, entry=24, times=MANY)
    stubs = elf.put(b"\xff\x25\x00\x00\x00\x00\x66\x90" * 64)
    elf.section(".plt", PROGBITS, ALLOC | EXEC, PC, stubs, 512, entry=8)


def functions(elf, random_, count=3_900_000, times=MANY):
    """3.9 million functions, and 65,000 sections of stubs to look for among them."""
    head = cie()
    at = elf.put(head)
    # One function every 20 bytes, as its record is, so that only the distance to the CIE changes.
    records = array.array("I", bytes(20 * count))
    position = len(head)
    for i, value in enumerate((16, None, PC + 0x100000 - (0x200000 + position + 8), 16, 0)):
        values = range(position + 4, position + 4 + 20 * count, 20) if value is None else [value]
        records[i::5] = array.array("I", values) * (1 if value is None else count)
    elf.file.seek(at + position)
    records.tofile(elf.file)
    position += 20 * count
    elf.end = (at + position + 15) & ~15
    elf.section(".eh_frame", PROGBITS, ALLOC, 0x200000, at, position)
    elf.section(".plt", PROGBITS, ALLOC | EXEC, 0x10, 0, 16, times=times)


# --- Their siblings

def debug_frame(elf, random_):
    """The advances in .debug_frame, where compression is allowed; every one changes the state."""
    body = struct.pack("<IB", 0xFFFFFFFF, 1) + b"\0" + b"\x01\x78\x10" + b"\x0c\x07\x08\x90\x01\0\0\0"
    head = struct.pack("<I", len(body)) + body
    rows = 1 << 25
    body = struct.pack("<IQQ", 0, PC, 0x7FFFFFFF)
    record = head + struct.pack("<I", len(body) + 6 * rows) + body
    data = packed([record] + [b"\x41\x0e\x10\x41\x0e\x18" * (1 << 16)] * (rows >> 16), len(record) + 6 * rows)
    at = elf.put(data)
    elf.section(".debug_frame", PROGBITS, COMPRESSED, 0, at, len(data))


def many_cies(elf, random_):
    """Each FDE of a .debug_frame names another place inside one long CIE."""
    inner = struct.pack("<IIB", 0x00FFFFFF, 0xFFFFFFFF, 1) + b"\0\x01\x78\x10"
    data = inner * 200_000
    out = [struct.pack("<II", len(data) + 4, 0xFFFFFFFF) + data]
    for i in range(100_000):
        out.append(struct.pack("<IIQQ", 20, 8 + 13 * i, PC + i, 1))
    data = b"".join(out)
    at = elf.put(data)
    elf.section(".debug_frame", PROGBITS, 0, 0, at, len(data))


def small_cies(elf, random_):
    """Nothing but CIEs, in a hole of a section that is all CIEs."""
    data = cie() * 400_000
    at = elf.put(data)
    elf.section(".eh_frame", PROGBITS, ALLOC, 0, at, len(data))


def notes(elf, random_):
    """65,000 sections of notes, each of 64 KB in a hole: where the build id is looked for."""
    at = elf.hole(64 << 10)
    elf.section(".note", NOTE, ALLOC, 0, at, 64 << 10, times=MANY)


def symbols(elf, random_):
    """A sparse symbol table of 8 million entries behind some that cover the code."""
    strings = elf.put(b"\0" + b"n" * 200_000 + b"\0")
    table = elf.put(bytes(24) + b"".join(symbol(1 + i % 100_000, PC, 0x1000) for i in range(100_000)))
    names = elf.section(".strtab", STRTAB, 0, 0, strings, 200_002)
    elf.hole(8_000_000 * 24)
    elf.section(".text", PROGBITS, ALLOC | EXEC, PC, CODE, CODE)
    elf.section(".symtab", SYMTAB, 0, 0, table, 8_000_000 * 24, link=names, entry=24)


def resolvers(elf, random_):
    """100,000 stubs of one IFUNC, and 100,000 symbols that name it."""
    stubs = b"".join(b"\xff\x25" + struct.pack("<i", 0x100000 - 8 * i) + b"\x66\x90" for i in range(100_000))
    at = elf.put(stubs)
    elf.section(".plt", PROGBITS, ALLOC | EXEC, PC, at, len(stubs), entry=8)
    rela = b"".join(struct.pack("<QQq", PC + 0x100006, 37, 0x1234560) for i in range(100_000))
    elf.section(".rela.plt", RELA, ALLOC, 0, elf.put(rela), len(rela), entry=24)
    strings = elf.put(b"\0resolver\0")
    names = elf.section(".strtab", STRTAB, 0, 0, strings, 10)
    table = bytes(24) + symbol(1, 0x1234560, 16, 0x1A) * 100_000
    elf.section(".symtab", SYMTAB, 0, 0, elf.put(table), len(table), link=names, entry=24)


def mini_debug_info(elf, random_):
    """.gnu_debugdata that unpacks to 256 MB."""
    pack = lzma.LZMACompressor(lzma.FORMAT_XZ, preset=0)
    data = b"".join([pack.compress(bytes(1 << 20)) for _ in range(256)]) + pack.flush()
    elf.section(".gnu_debugdata", PROGBITS, 0, 0, elf.put(data), len(data))


def sparse_frames(elf, random_):
    """An .eh_frame of 2 GB without a byte in it."""
    elf.section(".eh_frame", PROGBITS, ALLOC, 0, elf.hole(2 << 30), 2 << 30)


def python_runtime(elf, random_):
    """Looks like a Python interpreter, with a sparse table of symbols to look for."""
    elf.section(".PyRuntime", PROGBITS, ALLOC, BASE, CODE, 64)
    strings = elf.hole(32 << 20)
    names = elf.section(".dynstr", STRTAB, ALLOC, 0, strings, 32 << 20)
    elf.section(".dynsym", DYNSYM, ALLOC, 0, elf.hole(8_000_000 * 24), 8_000_000 * 24, link=names, entry=24)


def long_names(elf, random_):
    """A function whose name has 60,000 letters."""
    strings = elf.put(b"\0" + b"x" * 60_000 + b"\0")
    names = elf.section(".strtab", STRTAB, 0, 0, strings, 60_002)
    elf.section(".text", PROGBITS, ALLOC | EXEC, PC, CODE, CODE)
    table = bytes(24) + symbol(1, PC, 256)
    elf.section(".symtab", SYMTAB, 0, 0, elf.put(table), 48, link=names, entry=24)


def rows(elf, random_):
    """As many rows as 24 MB can hold."""
    head = cie()
    record = head
    program = b"\x41\x0e\x10\x41\x0e\x18" * (4 << 20)
    record += fde(len(head), PC, 0x7FFFFFF, program, 0, 0x200000)
    elf.section(".eh_frame", PROGBITS, ALLOC, 0x200000, elf.put(record), len(record))


KINDS = [plt_sections, advances, relocations, functions, debug_frame, many_cies, small_cies, notes, symbols, resolvers,
         mini_debug_info, sparse_frames, python_runtime, long_names, rows]


def mixed(path, seed):
    """Three kinds in one file, and bytes of the headers changed."""
    random_ = random.Random(seed)
    elf = Elf(path)
    for kind in random_.sample([k for k in KINDS if k not in (functions, advances, debug_frame)], 3):
        kind(elf, random_)
        if len(elf.headers) > 60_000:
            del elf.headers[60_000:]
    for _ in range(random_.randrange(8)):
        i = random_.randrange(1, len(elf.headers))
        header = bytearray(elf.headers[i])
        struct.pack_into("<Q", header, 8 * random_.randrange(2, 5), random_.getrandbits(random_.randrange(8, 40)))
        elf.headers[i] = bytes(header)
    elf.close()


def main():
    folder, seeds = sys.argv[1], sys.argv[2:]
    paths = []
    for kind in KINDS:
        path = os.path.join(folder, "bomb_" + kind.__name__)
        elf = Elf(path)
        kind(elf, random.Random(0))
        elf.close()
        paths.append(path)
    for seed in seeds:
        paths.append(os.path.join(folder, f"bomb_seed_{seed}"))
        mixed(paths[-1], int(seed))
    for path in paths:
        os.chmod(path, 0o755)
        print(path)


main()
