#!/usr/bin/env python3
"""Maps as DeepSpeed's own builders make them: reads a JSON line [BUILDER, ARGUMENT, ...] each, writes the map."""

import json
import sys

import planner


def main():
    affine, _ = planner.load()
    for line in sys.stdin:
        builder, *arguments = json.loads(line)
        if builder == "block_gather_map":
            arguments[1] = dict(enumerate(arguments[1]))  # the ids of each rank, which JSON has as a list
        print(json.dumps(getattr(affine, builder)(*arguments).to_dict()))


if __name__ == "__main__":
    main()
