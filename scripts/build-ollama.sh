#!/bin/bash
# Builds a real Ollama server (CPU only) from its Go module and prints the path of the binary.
#
#   scripts/build-ollama.sh [VERSION]        VERSION defaults to the client's version in go.mod
#
# The first run takes some minutes and needs a C++ compiler; later runs only print the path. Two
# runs at once are safe: the second waits for the first. Everything lands in
# ${WAKE_OLLAMA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wake-ollama}/VERSION.
#
# Go leaves every folder named "vendor" out of a module, and with it three sets of headers that
# llama.cpp needs. nlohmann/json and stb are taken from the system or from Debian's packages
# (unpacked, not installed), miniaudio.h from the Go module malgo, which carries it.
set -euo pipefail

# The build must not depend on the caller's settings.
export GOFLAGS= GOWORK=off GO111MODULE=on CGO_ENABLED=1
unset GOOS GOARCH GOEXPERIMENT CGO_CFLAGS CGO_CXXFLAGS CGO_LDFLAGS

readonly malgo=github.com/gen2brain/malgo@v0.11.24

say() { echo "build-ollama: $*" >&2; }
die() { say "$*"; exit 1; }

client_version() {
  sed -n 's/^[[:space:]]*github.com\/ollama\/ollama \(v[^ ]*\).*/\1/p' "$(dirname "$0")/../go.mod" | head -n 1
}

# debian_headers DIR: unpacks the two header packages into DIR.
debian_headers() {
  command -v apt-get >/dev/null || die "install the headers of nlohmann-json and stb, then run this again"
  local debs
  debs=$(mktemp -d)
  (
    cd "$debs"
    apt-get download nlohmann-json3-dev libstb-dev >/dev/null 2>&1 ||
      { apt-get update -qq && apt-get download nlohmann-json3-dev libstb-dev; } >/dev/null 2>&1
    for f in *.deb; do dpkg -x "$f" root; done
  ) || die "could not fetch nlohmann-json3-dev and libstb-dev; install them, then run this again"
  cp -r "$debs/root/usr/include/." "$1/"
  rm -rf "$debs"
}

# headers DIR: fills DIR with what the module lacks.
headers() {
  mkdir -p "$1/miniaudio"
  if ! [ -f /usr/include/nlohmann/json.hpp ] || ! [ -f /usr/include/stb/stb_image.h ]; then
    debian_headers "$1"
  fi
  local dir
  dir=$(cd "$1" && go mod download -json "$malgo" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  install -m 644 "$dir/miniaudio.h" "$1/miniaudio/miniaudio.h"
}

version=${1:-$(client_version)}
[ -n "$version" ] || die "no version given and none found in go.mod"
cache=${WAKE_OLLAMA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wake-ollama}/$version
binary=$cache/ollama

mkdir -p "$cache"
exec 9>"$cache/lock"
flock 9
if ! [ -x "$binary" ]; then
  say "building $version into $cache, this takes some minutes"
  work=$(mktemp -d "$cache/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  headers "$work/include"
  cd "$work"
  CGO_CPPFLAGS="-I$work/include" CGO_CFLAGS=-O2 CGO_CXXFLAGS=-O2 GOBIN="$work" \
    go install -ldflags "-s -w -X github.com/ollama/ollama/version.Version=${version#v}" \
    "github.com/ollama/ollama@$version" 1>&2
  mv "$work/ollama" "$binary" # renamed whole, so that a killed build leaves nothing half done
fi
echo "$binary"
