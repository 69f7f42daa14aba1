#!/usr/bin/env python3
"""Denies tools of MCP servers that delete something."""
import json, sys

name = json.load(sys.stdin)["tool_name"]
assert name.startswith("mcp__"), name
server, tool = name.split("__")[1:]
if tool.startswith("delete"):
    print(json.dumps({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": f"{server} must not delete."}}))
