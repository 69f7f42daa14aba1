#!/usr/bin/env python3
"""Refuses prompts with keys in them, and tells the model the date otherwise."""
import json, re, sys

data = json.load(sys.stdin)
assert data["hook_event_name"] == "UserPromptSubmit"
if re.search(r"AKIA[0-9A-Z]{16}", data["prompt"]):
    print(json.dumps({"decision": "block", "reason": "The prompt has a key."}))
else:
    print("Today is Monday.")
