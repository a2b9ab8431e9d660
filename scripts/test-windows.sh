#!/bin/bash
# Runs tests as Windows programs under Wine: scripts/test-windows.sh [FLAG...] PACKAGE...
set -euo pipefail
cd "$(dirname "$0")/.."
go=${GO:-go}

command -v wine >/dev/null || { echo "install Wine (on Debian: wine and wine64) and run this again" >&2; exit 1; }
export WINEPREFIX="${WINEPREFIX:-${XDG_CACHE_HOME:-$HOME/.cache}/wake-wine}"
export WINEDEBUG="${WINEDEBUG:--all}" # no remarks of Wine's
system="$WINEPREFIX/drive_c/windows/system32"
if [ ! -d "$system" ]; then
  mkdir -p "$WINEPREFIX"
  wineboot --init >/dev/null 2>&1 || { echo "Wine could not make $WINEPREFIX; remove it and run wineboot --init to see why" >&2; exit 1; }
  wineserver --wait
fi

# Before version 9, Wine lacks the source of random numbers that every Go program opens first.
if [ ! -e "$system/bcryptprimitives.dll" ]; then
  cc=x86_64-w64-mingw32-gcc
  command -v $cc >/dev/null || { echo "install $cc (on Debian: gcc-mingw-w64-x86-64) or Wine 9, and run this again" >&2; exit 1; }
  $cc -shared -o "$system/bcryptprimitives.dll" -x c - -ladvapi32 <<'EOF'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE out, SIZE_T n) { return SystemFunction036(out, (ULONG)n); }
EOF
fi

# Such a Wine also has its own way to say that it cannot delete a file as Go asks it to first;
# a Windows that cannot gives one of the codes after which Go asks in another way.
at="$("$go" env GOROOT)/src/internal/syscall/windows/at_windows.go"
sed 's/case STATUS_INVALID_INFO_CLASS,/case NTStatus(0xC0000002), STATUS_INVALID_INFO_CLASS,/' "$at" >"$WINEPREFIX/at_windows.go"
printf '{"Replace": {"%s": "%s"}}' "$at" "$WINEPREFIX/at_windows.go" >"$WINEPREFIX/overlay.json"

# The services that Wine starts with the first program live on. They must not hold the pipe to go
# test, which would wait for them.
cat >"$WINEPREFIX/run" <<'EOF'
#!/bin/sh
out=$(mktemp)
wine "$@" >"$out" 2>&1
status=$?
cat "$out"
rm -f "$out"
exit $status
EOF
chmod +x "$WINEPREFIX/run"

CGO_ENABLED=0 GOOS=windows GOARCH=amd64 exec "$go" test -overlay "$WINEPREFIX/overlay.json" -exec "$WINEPREFIX/run" "$@"
