#!/usr/bin/env python3
"""Refuses to read more than 100 lines at once, by offset and limit."""
import json, sys

data = json.load(sys.stdin)
args = data["tool_input"]
if data["tool_name"] == "Read" and args.get("limit", 10**9) > 100:
    sys.stderr.write("Read at most 100 lines.")
    sys.exit(2)
