#!/bin/sh
set -u
file=$1
while :; do
  digest=$(settings-cli get "$file" --digest) || exit
  now=$(settings-cli get "$file" limits.open-files --default 1024) || exit
  settings-cli set "$file" "limits.open-files=$((now * 2))" limits.raised-by=installer --if-unchanged "$digest"
  status=$?
  # 9: someone was faster. Once more, from what is there now.
  [ "$status" -eq 9 ] || exit "$status"
done
