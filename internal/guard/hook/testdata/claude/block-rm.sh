#!/bin/bash
# Refuses to delete directories without asking. Reads the JSON with grep, as scripts without jq do.
input=$(cat)
tool=$(printf '%s' "$input" | grep -o '"tool_name":"[^"]*"' | cut -d'"' -f4)
if [ "$tool" != "Bash" ]; then
  exit 0
fi
if printf '%s' "$input" | grep -qE '"command":"([^"\\]|\\.)*rm +-[a-zA-Z]*(rf|fr)'; then
  echo "Dangerous: rm -rf is not allowed here." >&2
  exit 2
fi
exit 0
