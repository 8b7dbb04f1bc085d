"""Builds the wheel: the judge, this package, and the adapter module. Needs Go and Python's standard library.

    python3 plan/external/python/build_wheel.py FOLDER

The wheel is for this machine's platform, of no particular Python version, and has no dependencies. Equal sources and
one Go version give equal bytes.
"""

import base64
import hashlib
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
VERSION = "0.1.0"
TAGS = {
    ("Linux", "x86_64"): ("linux", "amd64", "manylinux_2_17_x86_64.manylinux2014_x86_64"),
    ("Linux", "aarch64"): ("linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64"),
    ("Darwin", "arm64"): ("darwin", "arm64", "macosx_11_0_arm64"),
}
METADATA = """Metadata-Version: 2.1
Name: shardproof
Version: %s
Summary: Judges planners that move sharded tensors between layouts
Requires-Python: >=3.9
""" % VERSION


def build(folder: pathlib.Path) -> pathlib.Path:
    system, architecture, tag = TAGS[platform.system(), platform.machine()]
    files = {
        "shardproof/__init__.py": (HERE / "shardproof" / "__init__.py").read_bytes(),
        "shardproof/adapter.py": (HERE.parent / "adapters" / "shardproof_adapter.py").read_bytes(),
        "shardproof/bin/shardproof": judge(system, architecture),
    }
    information = "shardproof-%s.dist-info/" % VERSION
    files[information + "METADATA"] = METADATA.encode()
    files[information + "WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: false\n"
        + "".join("Tag: py3-none-%s\n" % part for part in tag.split("."))
    ).encode()
    files[information + "entry_points.txt"] = b"[console_scripts]\nshardproof = shardproof:main\n"
    record = information + "RECORD"
    files[record] = "".join(row(name, content) for name, content in files.items()).encode() + (record + ",,\n").encode()

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / ("shardproof-%s-py3-none-%s.whl" % (VERSION, tag))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if "/bin/" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return path


def judge(system: str, architecture: str) -> bytes:
    environment = dict(os.environ, CGO_ENABLED="0", GOOS=system, GOARCH=architecture)
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "shardproof")
        flags = ["-trimpath", "-buildvcs=false", "-ldflags=-s -w"]
        subprocess.run(["go", "build", *flags, "-o", program, "./cmd/shardproof"], cwd=ROOT, env=environment, check=True)
        return pathlib.Path(program).read_bytes()


def row(name: str, content: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return "%s,sha256=%s,%d\n" % (name, digest, len(content))


if __name__ == "__main__":
    print(build(pathlib.Path(sys.argv[1])))
