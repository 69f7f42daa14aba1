#!/usr/bin/env python3
"""AfterTool: format a file that the model has changed, and tell the model if that fails."""
import json
import shutil
import subprocess
import sys

FORMATTERS = {".go": ["gofmt", "-w"], ".py": ["ruff", "format", "-q"], ".js": ["prettier", "--write"]}

event = json.load(sys.stdin)
if "error" in event["tool_response"]:
    sys.exit()
path = event["tool_input"]["file_path"]
command = next((c for ending, c in FORMATTERS.items() if path.endswith(ending)), None)
if command is None or shutil.which(command[0]) is None:
    sys.exit()
done = subprocess.run([*command, path], capture_output=True, text=True)
if done.returncode != 0:
    note = f"{command[0]} fails for {path}:\n{done.stderr}"
    print(json.dumps({"hookSpecificOutput": {"additionalContext": note}}))
