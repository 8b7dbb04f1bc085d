"""Judges planners of sharded tensor transfers. In a pytest test three lines do it:

    import shardproof

    def test_planner():
        shardproof.check(my_module.plan, checks=2000)

A planner is a function of a Request (its `source` and `target` are parameter maps as JSON values; `request.boxes()`
gives them as boxes) that returns a list of segments, or raises a Refusal: see shardproof.adapter, which also makes
a program of it that speaks the planner protocol.

The judge is the program `shardproof`, which this package brings. It runs beside the test; the planner runs in the
test's own process, so breakpoints and coverage work.
"""

import os
import subprocess
import sys
import tempfile
from typing import Iterable, List, Optional

from . import adapter
from .adapter import Answer, BadSelection, Hello, Invalid, OverBudget, Request, Unsupported, segment

__all__ = [
    "Answer", "BadSelection", "CheckError", "Hello", "Invalid", "OverBudget", "Request", "Unsupported", "adapter",
    "check", "main", "program", "segment",
]

# A person may sit at a breakpoint inside the planner.
ANSWER_LIMIT = "24h"


class CheckError(AssertionError):
    """The planner failed. The message is the judge's report: the reduced case, what is wrong, where it was saved."""


def check(
    plan: adapter.Plan,
    checks: int = 2000,
    *,
    seed: Optional[int] = None,
    out: str = os.path.join("testdata", "shardproof"),
    features: Iterable[str] = (),
    any_holder: bool = False,
    complete: bool = False,
    strict: bool = False,
) -> None:
    """Judges a planner on the cases saved in `out`, then on `checks` random ones, and raises CheckError if it fails.

    A failing case is reduced and saved in `out`, and is the first that the next run tries. `features` names what
    the planner takes besides two maps: prefer, highest, local, balanced, cost, returns, budget. With `any_holder`
    it picks holders by a rule of its own. With `complete` a refusal of a right request as unsupported is a
    failure, with `strict` a broken rule of level should is.
    """
    __tracebackhide__ = True
    module = getattr(plan, "__module__", "")
    hello = adapter.Hello(
        planner="%s.%s" % (module, getattr(plan, "__name__", "planner")),
        version=str(getattr(sys.modules.get(module), "__version__", "unversioned")),
        features=list(features),
        holder="any" if any_holder else "lowest",
        max_inflight=1,
    )
    flags = ["--complete"] * complete + ["--strict"] * strict
    if os.path.isdir(out) and any(name.endswith(".json") for name in os.listdir(out)):
        _judge(plan, hello, ["check", out] + flags)
    seeded = [] if seed is None else ["--seed", str(seed)]
    _judge(plan, hello, ["fuzz", "--checks", str(checks), "--out", out] + seeded + flags)


def _judge(plan: adapter.Plan, hello: adapter.Hello, arguments: List[str]) -> None:
    __tracebackhide__ = True
    command = [program()] + arguments + ["--planner", "-", "--answer-limit", ANSWER_LIMIT]
    with tempfile.TemporaryFile() as report:
        judge = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=report)
        try:
            adapter.serve(plan, hello, judge.stdin.fileno(), judge.stdout.fileno())
        except BrokenPipeError:
            pass  # the judge has ended, and its report says why
        finally:
            for stream in (judge.stdin, judge.stdout):
                stream.close()
            status = judge.wait()
        report.seek(0)
        text = report.read().decode("utf-8", "replace")
    if status != 0:
        raise CheckError("exit status %d of %s\n%s" % (status, " ".join(command), text))


def program() -> str:
    """The path of the judge that this package brings."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "shardproof")


def main() -> None:
    """Becomes the judge, with this process's arguments."""
    os.execv(program(), ["shardproof"] + sys.argv[1:])
