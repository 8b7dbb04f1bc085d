#!/usr/bin/env python3
"""DeepSpeed's affine shard-to-shard planner, deepspeed.checkpoint.affine_transfer, over shardproof's protocol.

Its own reader takes a parameter map as it is sent, so nothing is converted and nothing checked here. The two
files run with an empty module in place of torch, and with bare packages around them: their own would import
all of DeepSpeed.
"""

import importlib
import importlib.metadata
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import shardproof_adapter as shardproof  # noqa: E402

FEATURES = ("prefer", "highest", "local", "cost", "returns", "budget")


def load():
    """The planner's two modules: its maps, and its plans."""
    shardproof.bare_module("torch")
    shardproof.bare_package("deepspeed.checkpoint")
    return (
        importlib.import_module("deepspeed.checkpoint.affine"),
        importlib.import_module("deepspeed.checkpoint.affine_transfer"),
    )


def planner(affine, transfer):
    """A function that plans a request as DeepSpeed does."""

    def plan(request):
        try:
            source = affine.ParamAffineMap.from_dict(request.source)
            target = affine.ParamAffineMap.from_dict(request.target)
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as error:  # its reader has no error of its own
            raise shardproof.Invalid(str(error)) from error
        try:
            planned = transfer.plan_transfer(
                target, source, transfer.PlanBudget(**request.budget), replica_selector=selector(request)
            )
        except transfer.InvalidMapError as error:
            raise shardproof.Invalid(str(error)) from error
        except transfer.UnsupportedLayoutError as error:
            raise shardproof.Unsupported(str(error)) from error
        except transfer.InvalidReplicaPolicyError as error:
            raise shardproof.BadSelection(str(error)) from error
        except transfer.AffineTransferError as error:
            raise shardproof.OverBudget(str(error)) from error
        stated = planned.to_dict()
        return shardproof.Answer(stated["segments"], planned.moved_elements, stated["logical_shape"])

    return plan


def selector(request):
    """The request's selector as the function that DeepSpeed asks; None, its default, takes the lowest rank."""
    if not request.selector:
        return None
    return lambda asked: shardproof.choose(
        request.selector, asked.target_rank, [candidate.source_rank for candidate in asked.candidates]
    )


if __name__ == "__main__":
    output = shardproof.claim_output()
    hello = shardproof.Hello("deepspeed", importlib.metadata.version("deepspeed"), FEATURES)
    shardproof.serve(planner(*load()), hello, output)
