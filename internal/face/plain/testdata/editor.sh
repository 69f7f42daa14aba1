#!/bin/sh
# Stands in for an editor: asks at the terminal what to write, and breaks how the
# terminal is set up.
for file; do :; done
printf 'write what? '
read -r line
printf '%s\n' "$line" >"$file"
stty -echo
