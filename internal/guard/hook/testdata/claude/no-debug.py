#!/usr/bin/env python3
"""Refuses edits that leave console.log behind, in each of the forms of an edit."""
import json, sys

data = json.load(sys.stdin)
args = data["tool_input"]
texts = [args.get("content", ""), args.get("new_string", "")] + [e["new_string"] for e in args.get("edits", [])]
if any("console.log" in t for t in texts):
    json.dump({"continue": True, "decision": "block", "reason": "Remove console.log."}, sys.stdout)
