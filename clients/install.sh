#!/bin/bash
# Installs the MCP clients of package.json by the exact versions and hashes of package-lock.json, and
# prints the folder they are in.
#
# The first run fetches some hundred megabytes through npm; later runs only print the path. Two runs
# at once are safe: the second waits for the first. No package's install script is run. Everything
# lands in ${WAKE_CLIENTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wake-clients}/HASH.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
lists=("$here/package.json" "$here/package-lock.json")
root=${WAKE_CLIENTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wake-clients}
cache=$root/$(cat "${lists[@]}" | git hash-object --stdin)

mkdir -p "$root"
exec 9>"$root/lock"
flock 9
if ! [ -d "$cache" ]; then
  command -v npm >/dev/null || { echo "install.sh: install npm, then run this again" >&2; exit 1; }
  work=$(mktemp -d "$root/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  cp "${lists[@]}" "$work"
  (cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) >&2
  mv "$work" "$cache" # renamed whole, so that a killed installation leaves nothing half done
fi
echo "$cache"
