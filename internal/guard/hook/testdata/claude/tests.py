#!/usr/bin/env python3
"""Sends the model back until the tests pass, once."""
import json, sys

data = json.load(sys.stdin)
assert data["hook_event_name"] == "Stop"
if not data["stop_hook_active"] and "passed" not in data["last_assistant_message"]:
    print("Run the tests.", file=sys.stderr)
    sys.exit(2)
