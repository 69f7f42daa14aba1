#!/usr/bin/env python3
"""Formats a file after an edit, and tells the model what it has found."""
import json, sys

data = json.load(sys.stdin)
assert data["hook_event_name"] == "PostToolUse" and "tool_response" in data
with open("formatted", "a") as f:
    f.write(data["tool_input"]["file_path"].rsplit("/", 1)[-1] + "\n")
if data["tool_input"]["file_path"].endswith(".js"):
    print(json.dumps({"decision": "block", "reason": "2 lint errors."}))
