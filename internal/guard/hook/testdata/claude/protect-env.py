#!/usr/bin/env python3
"""Keeps the model away from .env files, by tool name and file_path."""
import json, os, sys

data = json.load(sys.stdin)
if data["hook_event_name"] != "PreToolUse" or data["tool_name"] not in ("Read", "Edit", "Write", "MultiEdit"):
    sys.exit(0)
name = os.path.basename(data["tool_input"].get("file_path", ""))
if name == ".env" or name.startswith(".env.") and name != ".env.example":
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "Environment files hold secrets.",
    }}))
