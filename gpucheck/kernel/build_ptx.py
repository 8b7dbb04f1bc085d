#!/usr/bin/env python3
"""Compiles a CUDA source to PTX with the NVRTC of wheels.txt, on standard output.

    pip download --no-deps --require-hashes --only-binary=:all: -d WHEELS -r wheels.txt
    python3 build_ptx.py WHEELS replay.cu > replay.ptx

It needs no GPU, no CUDA toolkit and no Python package. A later NVRTC would give other bytes: 11.8 gives PTX 7.8, which
every driver since 520 takes.
"""

import ctypes
import glob
import os
import sys
import tempfile
import zipfile

OPTIONS = [b"--gpu-architecture=compute_70", b"--std=c++17", b"--fmad=false"]


def unpack_nvrtc(wheels, folder):
    """Unpacks the compiler's libraries and returns the path of the one to load."""
    (wheel,) = glob.glob(os.path.join(wheels, "nvidia_cuda_nvrtc_cu11-*.whl"))
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".so" in name:
                archive.extract(name, folder)
    libraries = os.path.join(folder, "nvidia", "cuda_nvrtc", "lib")
    # NVRTC opens its builtins by bare name: one that is loaded already is found.
    (builtins,) = glob.glob(os.path.join(libraries, "libnvrtc-builtins.so*"))
    ctypes.CDLL(builtins, mode=ctypes.RTLD_GLOBAL)
    return os.path.join(libraries, "libnvrtc.so.11.2")


def fetch(nvrtc, program, what):
    """Returns a program's "PTX" or "ProgramLog"."""
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.value


def compile_ptx(library, source, name):
    nvrtc = ctypes.CDLL(library)
    program = ctypes.c_void_p()
    status = nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, name, 0, None, None)
    if status != 0:
        sys.exit(f"nvrtcCreateProgram: status {status}")
    status = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), (ctypes.c_char_p * len(OPTIONS))(*OPTIONS))
    if status != 0:
        sys.exit(fetch(nvrtc, program, "ProgramLog").decode())
    return fetch(nvrtc, program, "PTX")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    wheels, path = sys.argv[1:]
    with open(path, "rb") as file:
        source = file.read()
    with tempfile.TemporaryDirectory() as folder:
        ptx = compile_ptx(unpack_nvrtc(wheels, folder), source, os.path.basename(path).encode())
    sys.stdout.buffer.write(ptx)


if __name__ == "__main__":
    main()
