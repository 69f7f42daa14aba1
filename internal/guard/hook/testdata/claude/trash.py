#!/usr/bin/env python3
"""Replaces rm by a move to the trash, with updatedInput."""
import json, sys

data = json.load(sys.stdin)
args = data["tool_input"]
if data["tool_name"] == "Bash" and args["command"].startswith("rm "):
    args["command"] = "trash " + args["command"][3:]
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": args}}))
