import planner
import shardproof


def test_planner():
    shardproof.check(planner.plan, checks=2000)
