#!/bin/sh
# Lists what gorgonia.org/cu calls of the CUDA driver, as the lines of symbols.inc:
#
#     CGO_CFLAGS=-Ibuild/gpu/include gpucheck/driver/symbols.sh > gpucheck/driver/symbols.inc
#
# The names are read from cu as compiled, after cuda.h has replaced some by their later versions (cuMemAlloc_v2).
# Of the undefined names, those that cu's own C file defines are no calls of the driver.
set -eu
archive=$(CGO_ENABLED=1 ${GO:-go} list -export -f '{{.Export}}' gorgonia.org/cu)
names() { nm "$archive" 2>/dev/null | awk -v kind="$1" 'NF > 1 && $(NF-1) == kind && $NF ~ /^cu[A-Z]/ { print $NF }' | LC_ALL=C sort -u; }
defined=$(names T)
echo '// The driver calls of gorgonia.org/cu v0.9.6, listed by symbols.sh.'
names U | while read -r name; do
    echo "$defined" | grep -qx "$name" || echo "SYMBOL($name)"
done
