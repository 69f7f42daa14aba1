#!/usr/bin/env python3
"""Refuses pushes to main, with the older form of the answer."""
import json, re, sys

data = json.load(sys.stdin)
command = data.get("tool_input", {}).get("command", "")
if data.get("tool_name") == "Bash" and re.search(r"\bgit\b.*\bpush\b.*\b(main|master)\b", command):
    print(json.dumps({"decision": "block", "reason": "Open a pull request instead of a push to main."}))
sys.exit(0)
