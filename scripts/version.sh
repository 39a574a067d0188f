#!/usr/bin/env bash
# version.sh prints the version of this checkout in the form of semver.org, without "v": 1.2.0 for a commit with the tag
# v1.2.0; after it 1.2.1-dev.N.gCOMMIT, where N counts the commits since the tag; .dirty at the end says that the
# checkout has changes. Without a tag it counts from 0.0.0. It prints nothing without git or a checkout.
set -euo pipefail
cd "$(dirname "$0")/.."
git rev-parse --verify -q HEAD >/dev/null 2>&1 || exit 0
dirty=
[[ -z $(git status --porcelain --untracked-files=no 2>/dev/null) ]] || dirty=.dirty
if described=$(git describe --tags --long --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null) &&
	[[ $described =~ ^v([0-9]+\.[0-9]+\.)([0-9]+)(-[0-9A-Za-z.-]+)?-([0-9]+)-g([0-9a-f]+)$ ]]; then
	minor=${BASH_REMATCH[1]} patch=${BASH_REMATCH[2]} pre=${BASH_REMATCH[3]} since=${BASH_REMATCH[4]} commit=${BASH_REMATCH[5]}
	if ((since == 0)) && [[ -z $dirty ]]; then
		echo "$minor$patch$pre"
	elif [[ -n $pre ]]; then # behind 1.2.0-rc.1 comes 1.2.0-rc.1.dev.N
		echo "$minor$patch$pre.dev.$since.g$commit$dirty"
	else
		echo "$minor$((patch + 1))-dev.$since.g$commit$dirty"
	fi
else
	echo "0.0.0-dev.$(git rev-list --count HEAD).g$(git rev-parse --short HEAD)$dirty"
fi
