# shellcheck shell=bash
# Set-up shared by the other scripts: packages, configuration, build. Sourced.
#
# Messages go to stderr, so that stdout holds only results. Tools whose output is parsed here run with LC_ALL=C.
# Environment:
#   LAPL_CUDA=off       build without CUDA even if nvcc is found
#   CUDAARCHS=LIST      build for these GPU architectures (default: this GPU's, or without one those of cmake/cuda.cmake)
#   LAPL_NO_INSTALL=1   install no packages; the libraries come from elsewhere
#   LAPL_PRESET=NAME    a preset of CMakePresets.json (default: release)
#   CUDACXX             the nvcc to use (default: on PATH or in /usr/local/cuda)

root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
preset=${LAPL_PRESET:-release}
build=$root/build
[[ $preset == release ]] || build=$root/build-$preset

# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"

say() { printf 'lapl: %s\n' "$*" >&2; }

# fail_with_log WORDS LOG [LINE] prints a log from the first line that matches LINE, and ends the script.
fail_with_log() {
  { grep -m 1 -A 10000 -E -- "${3:-}" "$2" || cat "$2"; } >&2
  say "$1 (log: $2)"
  exit 1
}

# show_progress WHAT reads lines "[K/N] ..." and reports the progress of WHAT: in place on a terminal, else in a line
# at the start and every ten seconds.
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

# Ends the script if the build folder cannot be written; warns if git cannot read the clone.
check_owner() {
  local path bad=''
  [[ -d $build ]] || mkdir -p "$build" 2>/dev/null || bad=$root
  for path in "$build" "$build"/* "$build"/.[ln]* "$build"/*/*; do
    [[ -w $path || ! -e $path || -L $path || ( $path != "$build" && -O $path ) ]] || bad=$build
  done
  if [[ -n $bad ]]; then
    say "$bad: of $(stat -c %U "$bad" "$bad"/* 2>/dev/null | sort -u | paste -sd ' '), and $(id -un) cannot write all of it;" \
      "use a clone of your own, or run this, then try again:"
    printf '  sudo chown -R %s %q\n' "$(id -un)" "$bad" >&2
    exit 4
  fi
  if [[ ! -O $root && $(LC_ALL=C git -C "$root" rev-parse 2>&1) == *dubious* ]]; then
    say "$root: owned by $(stat -c %U "$root"), so git does not read it for $(id -un); this helps:"
    printf '  git config --global --add safe.directory %q\n' "$root" >&2
  fi
}

# Prints the nvcc that cmake/cuda.cmake will find, or nothing.
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

# found NVCC [OPTION...] prints everything that a configuration depends on, one item per line. A tool is represented by
# its resolved path, size and time: they change with its version, and the tool need not be started. All matches on PATH
# count: a wrapper and the program that it hides.
found() {
  local name paths tools
  read -ra tools <<<"cmake ninja mpicc ${CXX:-c++} ${CC:-cc}"
  [[ $preset != [at]san ]] || tools+=(clang++ clang)
  mapfile -t paths < <(type -aP -- "${tools[@]}" ${1:+"$1"})
  mapfile -t paths < <(realpath -- "${paths[@]}" 2>/dev/null)
  stat -c 'tool %n %s %Y' -- "${paths[@]}" 2>/dev/null | sort -u || true
  printf 'folder %s\nfile CMakePresets.json %s\n' "$root" "$(cksum <"$root/CMakePresets.json")"
  printf 'option %s\n' "${@:2}"
  for name in $(compgen -e); do
    case $name in  # variables that CMake and the compilers read
      CC | CXX | C*FLAGS | LDFLAGS | CPATH | LIBRARY_PATH | CUDACXX | CUDAHOSTCXX | CUDAARCHS | *MPI*_CC) ;;
      PKG_CONFIG_PATH | CMAKE_*PATH | CMAKE_*LAUNCHER | CMAKE_*TYPE | CMAKE_*FILE) ;;
      HDF5_* | MPI_HOME | PNG_* | fmt_* | CLI11_* | CUDAToolkit_*) ;;
      *) continue ;;
    esac
    printf 'variable %s=%s\n' "$name" "${!name}"
  done
}

# Configures if that has not succeeded before, or if something that it depends on has changed. The build itself
# notices changes of the CMake files. Sets $backends, a text about CUDA for messages.
configure() {
  local nvcc state was='' changed stamp=$build/.lapl-setup log=$build/configure.log options=()
  nvcc=$(find_nvcc)
  if [[ -z $nvcc ]]; then
    options+=(-DLAPL_CUDA=OFF)
  elif [[ -z ${CUDAARCHS:-} ]] && [[ $(nvidia-smi -L 2>/dev/null) == GPU* ]]; then
    options+=(-DCMAKE_CUDA_ARCHITECTURES=native)
  fi
  state=$(found "$nvcc" "${options[@]}")
  # The stamp holds $backends, which is empty while a configuration is unfinished, then $state, on which the objects
  # depend.
  backends=''
  [[ ! -f $stamp ]] || { read -r backends && IFS= read -rd '' was; } <"$stamp" || was=${was%$'\n'}
  [[ ! -f $build/build.ninja || -z $backends || $was != "$state" ]] || return 0

  changed=$(comm -3 <(sort <<<"$was") <(sort <<<"$state"))
  if [[ -n $backends && $was == *$'\nfolder '* ]]; then
    say "configuring afresh, as these changed:" \
      "$(sed -E 's/^\t//; s/^(tool|file|option|variable) //; s/ [0-9]+ [0-9]+$//' <<<"$changed" | sort -u | paste -sd ' ')"
  elif [[ -f $build/CMakeCache.txt ]]; then
    say "configuring afresh, as nothing says that the last configuration succeeded"
  fi
  [[ ! -f $stamp ]] || sed -i '1s/.*//' "$stamp"
  [[ -z $nvcc ]] || "$nvcc" --version >"$log" 2>&1 ||
    fail_with_log "$nvcc --version fails; LAPL_CUDA=off before the command builds without CUDA" "$log"
  LC_ALL=C cmake --fresh -S "$root" --preset "$preset" "${options[@]}" >"$log" 2>&1 ||
    fail_with_log "CMake could not configure $build${nvcc:+; where CUDA is the reason, LAPL_CUDA=off leaves it out}" \
      "$log" "^CMake Error"
  # The commands may be the same as before, and ninja would then keep another compiler's objects.
  changed=$(grep -vE '/(cmake|ninja) ' <<<"$changed") || true
  if grep -q '^tool' <<<"$changed" && grep -q $'^\ttool' <<<"$changed"; then
    find "$build" -name '*.o' -delete
  fi
  if [[ $preset == release && -z $nvcc ]]; then
    backends="without CUDA ($([[ ${LAPL_CUDA:-} == off ]] && echo LAPL_CUDA=off || echo no nvcc found))"
  else
    backends=$(sed -n 's/^-- lapl: building //p' "$log" | tail -n 1)
    backends=${backends//;/, }
  fi
  printf '%s\n%s\n' "$backends" "$state" >"$stamp"
}

# Builds the given targets on all cores and shows the progress; prints the compiler's messages only if it fails, and
# nothing if there is nothing to do.
build_targets() {
  local log=$build/build.log
  LC_ALL=C NINJA_STATUS='[%f/%t] ' cmake --build "$build" --target "$@" 2>&1 | tee "$log" |
    { grep --line-buffered -E '^\[[0-9]+/[0-9]+\] (Building|Linking)' || true; } |
    show_progress "building $backends" || {
    sed -i '/^\[[0-9]*\/[0-9]*\] /d' "$log"  # removes the steps that succeeded
    fail_with_log "the build failed" "$log"
  }
}

# set_up "PURPOSES OF PACKAGES" TARGET... does all of the above, for one process at a time.
set_up() {
  local kinds=$1
  [[ $preset != [at]san ]] || kinds+=" clang"
  shift
  check_owner
  # On a system without flock, callers must not set up at the same time.
  exec 9>"$build/.lapl-lock"
  ! command -v flock >/dev/null || flock 9
  # shellcheck disable=SC2086  # several words on purpose
  install_packages $kinds
  configure
  build_targets "$@"
  exec 9>&-
}

# Prints each reason for skipped tests with their number, from ctest's JUnit file. A test gives its reason in a line
# of output with the word "skipped".
report_skipped() {
  [[ -f $1 ]] || return 0  # ctest has run nothing
  awk '
    /<testcase / { skipped = 0; reason = "no reason given" }
    /<skipped / { skipped = 1 }
    skipped == 1 && !/<skipped |\[doctest\]/ && /[Ss]kipp/ { reason = $0; sub(/.*<system-out>/, "", reason); skipped = 2 }
    /<\/testcase>/ && skipped { count[reason]++ }
    END { for (r in count) printf "lapl: %d tests did not run: %s\n", count[r], r }' "$1" >&2
}
