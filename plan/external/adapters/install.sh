#!/bin/sh
# Installs planners that adapters here drive into a virtual environment, made where there is none:
#
#   install.sh VENV [NAME ...]
#
# A NAME is a folder beside this file; given none, deepspeed and mooncake, which need under 60 MB and no torch.
# megatron, awex and modelexpress need torch_dcp's torch, which is installed with the first of them.
# PYTHON names the interpreter that makes the environment, python3 by default.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=${1:?usage: install.sh VENV [NAME ...]}
shift
[ $# -gt 0 ] || set -- deepspeed mooncake

[ -x "$venv/bin/python" ] || "${PYTHON:-python3}" -m venv "$venv"

install() {
	"$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

for name; do
	requirements=$here/$name/requirements.txt
	case $name in
	deepspeed)
		# A source archive. Its setup.py goes on without torch, in an environment that has what builds a wheel.
		install setuptools==80.9.0 wheel==0.45.1
		install --no-deps --no-build-isolation --requirement "$requirements"
		;;
	mooncake)
		install --no-deps --requirement "$requirements"
		;;
	torch_dcp)
		install --requirement "$requirements"
		;;
	megatron | awex | modelexpress)
		install --requirement "$here/torch_dcp/requirements.txt"
		install --no-deps --ignore-requires-python --requirement "$requirements"
		;;
	*)
		echo "install.sh: no planner $name" >&2
		exit 2
		;;
	esac
done
