#!/bin/sh
# A hook reads a JSON object from standard input and prints one. With an exit code of 2 it stops
# what it is called for, and standard error says why.
cat >/dev/null
printf '{"hookSpecificOutput": {"additionalContext": "The session started on %s."}}\n' "$(date)"
