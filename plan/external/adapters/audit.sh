#!/bin/sh
# Audits planners that install.sh has installed, each with its findings and its known failures:
#
#   audit.sh VENV CHECKS NAME ...
#
# It fails where a planner breaks what its known-failures file does not list, or no longer breaks what it lists. The
# time for an answer is long: the machine may be busy with more than this, and a hang is a finding.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$(cd "${1:?usage: audit.sh VENV CHECKS NAME ...}" && pwd)
checks=$2
shift 2
program=${SHARDPROOF:-$here/../../../bin/shardproof}

failed=
for name; do
	set --
	[ ! -e "$here/$name/findings" ] || set -- "$@" "$here/$name/findings"
	[ ! -e "$here/$name/known-failures" ] || set -- "$@" --known "$here/$name/known-failures"
	echo "== $name"
	"$program" audit "$@" --checks "$checks" --out "findings/$name" --answer-limit 180s \
		--planner "$venv/bin/python $here/$name/planner.py" || failed="$failed $name"
done
[ -z "$failed" ] || { echo "audit.sh: not as known:$failed" >&2; exit 1; }
