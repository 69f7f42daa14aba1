#!/usr/bin/env python3
"""Denies commands while the session asks nothing."""
import json, sys

data = json.load(sys.stdin)
if data["permission_mode"] == "bypassPermissions" and "curl" in data["tool_input"].get("command", ""):
    print(json.dumps({"continue": False, "stopReason": "No curl in this mode."}))
