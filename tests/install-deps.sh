# Installs the Debian packages that tests use, where that is possible without a question; else says so and goes on.
missing=
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root='sudo -n'
else
    echo "not installed, so their tests are skipped:$missing"
    exit 0
fi
command -v apt-get >/dev/null || {
    echo "no apt-get here, so the tests of these are skipped:$missing"
    exit 0
}

# policy-rc.d keeps openssh-server from starting its service: the tests start their own
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
    printf '#!/bin/sh\nexit 101\n' | $as_root tee $policy >/dev/null
    $as_root chmod 755 $policy
    trap '$as_root rm -f $policy' EXIT
fi
$as_root apt-get update -q >/dev/null
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing >/dev/null ||
    echo "could not be installed, so their tests are skipped:$missing"
