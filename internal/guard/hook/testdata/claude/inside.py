#!/usr/bin/env python3
"""Allows writing only below the project, whatever the path looks like."""
import json, os, sys

data = json.load(sys.stdin)
root = os.path.realpath(os.environ["CLAUDE_PROJECT_DIR"])
path = data["tool_input"]["file_path"]
if not os.path.isabs(path):
    print("file_path is not absolute", file=sys.stderr)
    sys.exit(1)
if not os.path.realpath(path).startswith(root + os.sep):
    print(f"{path} is outside of the project.", file=sys.stderr)
    sys.exit(2)
