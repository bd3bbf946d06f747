# Sourced by daemon/demo.sh and tests/run.sh: which packages a machine lacks, and how to get them.
# Sets nothing but functions and the variables that begin with packages_.
#
#   packages_install "purpose" yes|ask  GROUP...     groups: build web test

packages_debian() {
  case $1 in
    build) echo "g++ cmake ninja-build pkg-config libcpp-httplib-dev nlohmann-json3-dev libspdlog-dev
                 libsqlite3-dev liburing-dev curl ca-certificates" ;;
    web) echo "nodejs npm" ;;
    quick) echo "doctest-dev jq" ;;
    test) echo "doctest-dev jq clang-16 clang-format-16 clang-tidy-16 libc++-16-dev libc++abi-16-dev
                libclang-rt-16-dev chromium mandoc procps fio qemu-system-x86 busybox-static
                cpio sqlite3 faketime prometheus nginx-light openssl" ;;
  esac
}

packages_openbsd() {
  case $1 in
    build) echo "cmake ninja cpp-httplib nlohmann-json spdlog sqlite3 curl" ;;
    web) echo "node" ;;
    quick) echo "doctest jq" ;;
    test) echo "doctest jq chromium" ;;
  esac
}

# A tool that came another way (node from its makers' own repository, say) counts as installed.
packages_have_debian() {
  case $1 in
    nodejs) command -v node >/dev/null 2>&1 && return 0 ;;
    npm) command -v npm >/dev/null 2>&1 && return 0 ;;
    busybox-static) command -v busybox >/dev/null 2>&1 && return 0 ;;  # it conflicts with busybox
  esac
  dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'
}

packages_as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif [ "$packages_system" = openbsd ] && command -v doas >/dev/null 2>&1; then
    doas "$@"
  elif [ -t 0 ]; then
    sudo "$@"
  else
    sudo -n "$@"   # never waits for a password that nobody can type
  fi
}

packages_die() {
  echo "$packages_purpose: $*" >&2
  exit 1
}

# Says what is missing, asks at a terminal unless told "yes", installs. Nothing missing: says nothing.
packages_install() {
  packages_purpose=$1 packages_answer=$2
  shift 2
  case $(uname -s) in
    Linux) packages_system=debian ;;
    OpenBSD) packages_system=openbsd ;;
    *) packages_system=other ;;
  esac
  [ "$packages_system" = debian ] && ! command -v apt-get >/dev/null 2>&1 && packages_system=other
  if [ "$packages_system" = other ]; then
    echo "$packages_purpose: no package list for this system; install by hand what CMake asks for" >&2
    return 0
  fi
  packages_missing=
  for packages_group in "$@"; do
    for packages_name in $("packages_$packages_system" "$packages_group"); do
      "packages_have_$packages_system" "$packages_name" ||
        packages_missing="$packages_missing $packages_name"
    done
  done
  [ -n "$packages_missing" ] || return 0
  echo "$packages_purpose needs these packages:$packages_missing"
  if [ "$packages_answer" = ask ] && [ -t 0 ]; then
    printf 'Install them now? [Y/n] '
    read -r packages_reply || packages_reply=n
    case $packages_reply in
      '' | [Yy]*) ;;
      *) packages_die "stopped; nothing was changed" ;;
    esac
  fi
  "packages_get_$packages_system" $packages_missing
}

packages_get_debian() {
  [ "$(id -u)" = 0 ] || command -v sudo >/dev/null 2>&1 ||
    packages_die "run as root, or install sudo, so that apt-get can install:$packages_missing"
  packages_log=$(mktemp)
  # A third-party list that can't be read is no reason to stop: what counts is the install.
  packages_as_root apt-get update >"$packages_log" 2>&1 || true
  if ! packages_as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "$@" >>"$packages_log" 2>&1 </dev/null; then
    tail -n 20 "$packages_log" >&2
    rm -f "$packages_log"
    packages_die "apt-get could not install:$packages_missing"
  fi
  rm -f "$packages_log"
}

packages_have_openbsd() {
  pkg_info -e "$1-*" >/dev/null 2>&1 || command -v "$1" >/dev/null 2>&1
}

# Ports may lack some: named before anything is changed.
packages_get_openbsd() {
  packages_lacking=
  for packages_name in "$@"; do
    pkg_info -Q "$packages_name" 2>/dev/null | grep -q "^$packages_name-[0-9]" ||
      packages_lacking="$packages_lacking $packages_name"
  done
  [ -z "$packages_lacking" ] ||
    packages_die "ports has no:$packages_lacking (install them by hand; nothing was changed)"
  packages_as_root pkg_add -I "$@" || packages_die "pkg_add could not install:$packages_missing"
}
