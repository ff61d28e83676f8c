# shellcheck shell=bash
# The packages of scripts/packages that a machine with apt-get misses, and their installation. Sourced by setup.sh.
# shellcheck disable=SC2154  # root and build are set there

# Prints the purposes to install packages for: an installed MPI is kept, an incomplete MPICH completed.
kinds_here() {
  local kind
  for kind in "$@"; do
    if [[ $kind != ranks ]]; then
      echo "$kind"
    elif command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
      :
    elif [[ " $(dpkg-query -W -f='${db:Status-Status} ' mpich libmpich-dev 2>/dev/null)" == *" installed "* ||
      $(mpicc -v 2>&1) == *MPICH* ]]; then
      echo mpich
    else
      echo ranks
    fi
  done
}

# Prints the packages of the given purposes (first column of scripts/packages) that are not installed.
missing_packages() {
  local kind name here wanted=()
  for kind in $(kinds_here "$@"); do
    mapfile -t -O "${#wanted[@]}" wanted < <(sed -n "s/^$kind //p" "$root/scripts/packages")
  done
  # dpkg-query fails for a name that it does not know, which is then just a missing package.
  here=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null) || true
  for name in "${wanted[@]}"; do
    [[ $'\n'$here$'\n' == *$'\n'"installed $name"$'\n'* ]] || echo "$name"
  done
}

# Turns lines of apt-get into "[K/N]"; each package is first unpacked, then set up.
count_packages() {
  local line total=0 done=0
  while IFS= read -r line; do
    case $line in
      *' newly installed, '*) [[ $line =~ ([0-9]+)\ newly ]] && total=$((2 * BASH_REMATCH[1])) ;;
      'Unpacking '* | 'Setting up '*) echo "[$((++done))/$total]" ;;
    esac
  done
}

# True on an Ubuntu whose package sources lack universe.
lacks_universe() {
  # shellcheck disable=SC2016  # for apt-get
  grep -qi '^ID.*ubuntu' /etc/os-release && ! apt-get indextargets --format '$(COMPONENT)' | grep -x universe >/dev/null
}

# Ends the script with the important lines of apt-get's log.
fail_apt() {
  { grep -m 1 -A 1 '^Err:' "$1"; grep -m 3 -E '^(E|dpkg): ' "$1" || tail -n 5 "$1"; } >&2 || true
  if grep -q '^Err:' "$1"; then
    say "not everything could be fetched: the network may be the reason, or a proxy"
  elif grep -qE 'Unable to locate|no installation candidate' "$1" && lacks_universe; then
    say "this Ubuntu takes no packages from universe; this helps (package software-properties-common), or the word"
    say "universe in /etc/apt/sources.list or /etc/apt/sources.list.d:"
    echo "  sudo add-apt-repository universe" >&2
  fi
  say "apt-get could not install the packages (log: $1)"
  exit 1
}

# Installs the missing packages of the given purposes. Without root or sudo, it names them and exits with 2.
install_packages() {
  [[ ${LAPL_NO_INSTALL:-} != 1 ]] || return 0
  # On another system CMake reports the missing libraries.
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  local missing log=$build/apt.log as_root=()
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $(id -u) -ne 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      say "packages are missing, and only root can install them: ${missing[*]}"
      say "run this, then try again:"
      ! lacks_universe || echo "  sudo add-apt-repository universe" >&2
      printf '  sudo apt-get update\n  sudo apt-get install --no-install-recommends %s\n' \
        "${missing[*]}" >&2
      exit 2
    fi
    as_root=(sudo -n)
  fi

  say "installing ${missing[*]}"
  # needrestart would restart services of the machine. apt waits for its lock, since a new machine updates itself. A
  # partly failed update matters only if the installation fails too.
  local apt=("${as_root[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive
    NEEDRESTART_SUSPEND=1 apt-get -q -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
  {
    "${apt[@]}" update || true
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}"
  } </dev/null 2>&1 | tee "$log" | count_packages | show_progress "unpacking and setting up" ||
    fail_apt "$log"
}
