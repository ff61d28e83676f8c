# shellcheck shell=bash
# Set-up shared by the other scripts: packages, configuration, build. Sourced.
#
# Words go to stderr, so that stdout holds results alone. Environment:
#   LAPL_CUDA=off       build without CUDA, though nvcc is here
#   CUDAARCHS=LIST      build for these GPU architectures (that of the GPU here, else those of cmake/cuda.cmake)
#   LAPL_NO_INSTALL=1   skip the package check: the libraries are there in another way
#   LAPL_PRESET=NAME    another preset of CMakePresets.json than release
#   CUDACXX             nvcc to use, where it is neither on PATH nor in /usr/local/cuda

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
preset=${LAPL_PRESET:-release}
build=$root/build
[[ $preset == release ]] || build=$root/build-$preset

say() { printf 'lapl: %s\n' "$*" >&2; }

# Prints a command's log and ends the script.
fail_with_log() {
  cat "$2" >&2
  say "$1"
  exit 1
}

# show_progress WHAT: reads lines "[K/N] ..." and says how far WHAT is: in place on a terminal, else a
# line at the start and every ten seconds.
show_progress() {
  local line next=0
  while IFS= read -r line; do
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    if [[ -t 2 ]]; then
      printf '\rlapl: %s: %s of %s\033[K' "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
    elif ((SECONDS >= next)); then
      say "$1: ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]}"
      next=$((SECONDS + 10))
    fi
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
}

# Packages of the given kinds (first column of scripts/packages) that are not installed.
missing_packages() {
  local kind wanted=()
  for kind in "$@"; do
    mapfile -t -O "${#wanted[@]}" wanted < <(sed -n "s/^$kind //p" "$root/scripts/packages")
  done
  # dpkg-query fails where a name is unknown to it: that package is missing, nothing more.
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
    <({ dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true; } |
      sed -n 's/^installed //p' | sort)
}

# Lines of apt-get as "[K/N]": each package is unpacked, then set up.
count_packages() {
  local line total=0 done=0
  while IFS= read -r line; do
    case $line in
      *' newly installed, '*) [[ $line =~ ([0-9]+)\ newly ]] && total=$((2 * BASH_REMATCH[1])) ;;
      'Unpacking '* | 'Setting up '*) echo "[$((++done))/$total]" ;;
    esac
  done
}

# Installs what is missing of the given kinds; without the rights to, names it and exits with 2.
install_packages() {
  [[ ${LAPL_NO_INSTALL:-} != 1 ]] || return 0
  # Another system: CMake says what it does not find.
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  local missing log=$build/apt.log as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $(id -u) -ne 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      say "packages are missing, and only root can install them: ${missing[*]}"
      say "run this, then try again:"
      printf '  sudo apt-get update\n  sudo apt-get install --no-install-recommends %s\n' \
        "${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo -n)
  fi

  say "installing ${missing[*]}"
  # needrestart would restart services of the machine; a lock is waited for, as a new machine
  # updates itself. An update that fails in part matters only if the installation does.
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
    apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  {
    "${apt[@]}" update || true
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
  } </dev/null 2>&1 | tee "$log" | count_packages | show_progress "unpacking and setting up" ||
    fail_with_log "apt-get could not install the packages" "$log"
}

# The nvcc that cmake/cuda.cmake will find; nothing without one.
find_nvcc() {
  if [[ ${LAPL_CUDA:-} == off ]]; then
    :
  elif [[ -n ${CUDACXX:-} ]]; then
    echo "$CUDACXX"
  elif command -v nvcc; then
    :
  elif [[ -x /usr/local/cuda/bin/nvcc ]]; then
    echo /usr/local/cuda/bin/nvcc
  fi
}

# Configures where that was not done yet, or was done in another place, with other presets or
# another choice about CUDA. Later changes of the CMake files are noticed by the build itself.
# Leaves in $backends what the build holds, for people.
configure() {
  local nvcc state stamp=$build/.lapl-setup log=$build/configure.log options=()
  nvcc=$(find_nvcc)
  if [[ -z $nvcc ]]; then
    options+=(-DLAPL_CUDA=OFF)
  elif [[ -z ${CUDAARCHS:-} ]] && nvidia-smi -L 2>/dev/null | grep -q '^GPU'; then
    options+=(-DCMAKE_CUDA_ARCHITECTURES=native)
  fi
  state="$root $nvcc $(command -v mpicc || true) ${CUDAARCHS:-} ${options[*]} $(cksum <"$root/CMakePresets.json")"
  if [[ -f $build/build.ninja && -f $stamp && $(sed -n 1p "$stamp") == "$state" ]]; then
    backends=$(sed -n 2p "$stamp")
    return 0
  fi
  [[ ! -f $stamp ]] || options+=(--fresh)
  cmake -S "$root" --preset "$preset" "${options[@]}" >"$log" 2>&1 ||
    fail_with_log "CMake could not configure $build" "$log"
  if [[ $preset == release && -z $nvcc ]]; then
    backends="without CUDA ($([[ ${LAPL_CUDA:-} == off ]] && echo LAPL_CUDA=off || echo no nvcc found))"
  else
    backends=$(sed -n 's/^-- lapl: building //p' "$log" | tail -n 1)
    backends=${backends//;/, }
  fi
  printf '%s\n%s\n' "$state" "$backends" >"$stamp"
}

# Builds the given targets on all cores; says how far it is, and the compiler's words only where it
# fails. Silent where there is nothing to do.
build_targets() {
  local log=$build/build.log
  NINJA_STATUS='[%f/%t] ' cmake --build "$build" --target "$@" 2>&1 | tee "$log" |
    { grep --line-buffered -E '^\[[0-9]+/[0-9]+\] (Building|Linking)' || true; } |
    show_progress "building $backends" || {
    sed -i '/^\[[0-9]*\/[0-9]*\] /d' "$log"  # the steps that went well
    fail_with_log "the build failed" "$log"
  }
}

# set_up "KINDS OF PACKAGES" TARGET...: all of the above, one caller at a time.
set_up() {
  local kinds=$1
  [[ $preset != [at]san ]] || kinds+=" clang"
  shift
  mkdir -p "$build"
  # Not every system has flock; without it two set-ups at the same time are the caller's to avoid.
  exec 9>"$build/.lapl-lock"
  ! command -v flock >/dev/null || flock 9
  # shellcheck disable=SC2086  # several words on purpose
  install_packages $kinds
  configure
  build_targets "$@"
  exec 9>&-
}

# Each reason for which tests were skipped, and how many, from the JUnit file that ctest wrote.
# A test says its reason in a line of output with the word "skipped".
report_skipped() {
  [[ -f $1 ]] || return 0  # ctest ran nothing
  awk '
    /<testcase / { skipped = 0; reason = "no reason given" }
    /<skipped / { skipped = 1 }
    skipped == 1 && !/<skipped |\[doctest\]/ && /[Ss]kipp/ { reason = $0; sub(/.*<system-out>/, "", reason); skipped = 2 }
    /<\/testcase>/ && skipped { count[reason]++ }
    END { for (r in count) printf "lapl: %d tests did not run: %s\n", count[r], r }' "$1" >&2
}
