# Defines functions for the other scripts of this folder and changes to the root of the repository. The scripts run this
# file with the `.` command. npm installs Node 26 as a package (optionalDependencies of package.json); the Node of the
# machine only runs this installation.

set -eu
caller_folder=$PWD
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"
mkdir -p .cache

# Prints a message to standard error, because standard output is for the program that a script starts at its end.
say() {
  printf '%s\n' "$*" >&2
}

fail() {
  say "$*"
  exit 1
}

# Prints a checksum of the names and contents of the given files and folders.
fingerprint() {
  find "$@" \( -name node_modules -o -name dist \) -prune -o -type f ! -name '*.tsbuildinfo' -exec cksum {} + |
    LC_ALL=C sort | cksum
}

# Succeeds in a container image. The image already contains the packages and the built pages (see Containerfile).
is_image() {
  [ -e .cache/image ]
}

require_machine_node() {
  if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
    fail 'Node 20.19 or newer with npm is needed; see https://nodejs.org/en/download'
  fi
  node -e 'const [major, minor] = process.versions.node.split("."); process.exit(major * 100 + +minor < 2019 ? 1 : 0)' ||
    fail "This machine's Node is $(node --version); 20.19 or newer is needed."
}

# Links the program `node` of the Node package, because npm 10 does not create this link.
link_node() {
  (cd node_modules/.bin && ln -sf ../node-*/bin/node node)
  [ -x node_modules/.bin/node ] || fail "There is no package of Node 26 for $(uname -sm)."
}

# `install_packages run` installs the packages that the server needs; `install_packages all` installs also those of the
# checks and tests. Does nothing if the packages are up to date. The file .cache/installed exists only after a complete
# installation, so an interrupted installation is repeated.
install_packages() {
  if is_image; then return; fi
  scope=$1
  packages="$(fingerprint package.json package-lock.json .npmrc ./*/package.json) $(uname -sm)"
  # Somebody may have run `npm ci` by hand. npm writes node_modules/.package-lock.json at the end of an installation.
  if [ ! -e .cache/installed ] && [ -d node_modules/vitest ] && [ -n "$(ls node_modules/node-*/bin/node 2>/dev/null)" ] &&
    [ -e node_modules/.package-lock.json ] &&
    [ -z "$(find package.json package-lock.json .npmrc ./*/package.json -newer node_modules/.package-lock.json)" ]; then
    link_node
    printf '%s\n' "all $packages" >.cache/installed
  fi
  installed=$(cat .cache/installed 2>/dev/null || true)
  # If the packages of the checks and tests are installed already, script/start keeps them. If script/start removed
  # them, the next script/test would have to install them again.
  case $installed in all*) scope=all ;; esac
  if [ "$installed" != "$scope $packages" ] || [ ! -d node_modules ]; then
    require_machine_node
    say 'Installing packages. This takes about half a minute.'
    installing_since=$(date +%s)
    rm -rf .cache/installed node_modules
    without=
    if [ "$scope" = run ]; then without=--omit=dev; fi
    # If npm fails with "Missing: X from lock file", the lock file lacks a package for another platform. Add an entry
    # for this package by hand, like the entries for other platforms (version, cpu, os, optional).
    npm ci $without --loglevel=error >&2
    link_node
    printf '%s\n' "$scope $packages" >.cache/installed
    say "Packages installed in $(($(date +%s) - installing_since)) s."
  fi
  PATH=$root/node_modules/.bin:$PATH
  export PATH
}

# Builds the web pages. Does nothing if no source file has changed since the last build.
build_pages() {
  if is_image; then return; fi
  inputs=$(fingerprint web contract tsconfig.base.json package-lock.json)
  if [ "$(cat .cache/built-pages 2>/dev/null)" = "$inputs" ] && [ -d web/dist ]; then return; fi
  say 'Building the web pages. This takes about 15 seconds.'
  rm -f .cache/built-pages
  vite build web --logLevel warn >&2
  printf '%s\n' "$inputs" >.cache/built-pages
}

find_program() {
  for program in "$@"; do
    if [ -n "$program" ] && command -v "$program"; then return; fi
  done
  return 1
}

install_chromium() {
  command -v apt-get >/dev/null || return 1
  say 'Installing Chromium (Debian package).'
  as_root=
  if [ "$(id -u)" != 0 ]; then as_root=sudo; fi
  $as_root apt-get -qq update && $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -qq install --no-install-recommends chromium-headless-shell fonts-liberation >/dev/null
}

# Finds or installs Chromium and sets CHROMIUM_PATH. Prefers chromium-headless-shell, because it uses a fifth less
# processor time than Chromium.
provide_chromium() {
  CHROMIUM_PATH=$(find_program "${CHROMIUM_PATH:-}" chromium-headless-shell) ||
    { install_chromium && CHROMIUM_PATH=$(find_program chromium-headless-shell); } ||
    CHROMIUM_PATH=$(find_program chromium google-chrome google-chrome-stable chrome) ||
    fail 'Install Chromium, or name one in CHROMIUM_PATH.'
  export CHROMIUM_PATH
}
