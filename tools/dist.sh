#!/bin/sh
# The source archive of a commit (HEAD), the same bytes each time: names, owners and times are those
# of the commit, and gzip adds none of its own.
#
#     tools/dist.sh [FOLDER [COMMIT]]
#
# Writes FOLDER/gpusight-VERSION.tar.gz and its .sha256; prints the name.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-dist} commit=${2:-HEAD}

git rev-parse -q --verify "$commit^{commit}" >/dev/null 2>&1 ||
    { echo "dist: no commit '$commit' here; run it in a git checkout" >&2; exit 1; }
version=$(git show "$commit:meson.build" | sed -n "s/^  version: '\(.*\)',$/\1/p")
[ -n "$version" ] || { echo "dist: no version in meson.build of '$commit'" >&2; exit 1; }
git diff --quiet "$commit" -- 2>/dev/null ||
    echo "dist: what is not committed is left out" >&2

name=gpusight-$version
mkdir -p "$folder"
# The mode of files must not depend on the umask of whoever runs this, so git's own is set.
git -c tar.umask=0022 archive --format=tar --prefix="$name/" "$commit" >"$folder/$name.tar.part"
gzip -n -9 <"$folder/$name.tar.part" >"$folder/$name.tar.gz.part"
rm "$folder/$name.tar.part"
mv "$folder/$name.tar.gz.part" "$folder/$name.tar.gz"
(cd "$folder" && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
echo "$folder/$name.tar.gz"
