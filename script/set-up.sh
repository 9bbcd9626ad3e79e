# Sourced by the scripts beside it: goes to the root of the repository and offers what their set-up shares.
# Node 26 comes with the packages (optionalDependencies of package.json), so the machine's own Node only installs.

set -eu
caller_folder=$PWD
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
mkdir -p .cache

# Standard output belongs to the program that a script ends in.
say() {
  printf '%s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

# Prints a checksum over the names and contents of the given files and folders.
fingerprint() {
  find "$@" \( -name node_modules -o -name dist \) -prune -o -type f -exec cksum {} + | LC_ALL=C sort | cksum
}

require_machine_node() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    fail 'Node 20.19 or newer with npm is needed; see https://nodejs.org/en/download'
  fi
  node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major * 100 + +minor < 2019 ? 1 : 0)' ||
    fail "This machine's Node is $(node --version); 20.19 or newer is needed."
}

# install_packages run|all: installs what running needs, or all of it, unless that was done for these package files.
# The stamp goes before the work and comes back after it, so that an interrupted installation is repeated.
install_packages() {
  scope=$1
  packages="$(fingerprint package.json package-lock.json .npmrc ./*/package.json) $(uname -sm)"
  installed=$(cat .cache/installed 2>/dev/null || true)
  # A machine that has the test tools keeps them: going to and fro would install everything again each time.
  case $installed in all*) scope=all ;; esac
  if [ "$installed" != "$scope $packages" ] || [ ! -d node_modules ]; then
    require_machine_node
    say 'Installing packages.'
    rm -rf .cache/installed node_modules
    without=
    if [ "$scope" = run ]; then without=--omit=dev; fi
    # Not `npm ci`: npm 11 refuses a lock that lacks packages for other platforms which its registry does not offer.
    npm install --no-save $without --loglevel=error >&2
    # npm 10 leaves this link out.
    (cd node_modules/.bin && ln -sf ../node-*/bin/node node)
    [ -x node_modules/.bin/node ] || fail "There is no package of Node 26 for $(uname -sm)."
    printf '%s\n' "$scope $packages" >.cache/installed
  fi
  PATH=$root/node_modules/.bin:$PATH
  export PATH
}
