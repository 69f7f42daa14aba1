#!/bin/sh
# Notification: show a desktop notification when Pollux waits for your answer.
message=$(sed -n 's/.*"message":"\([^"]*\)".*/\1/p')
if command -v notify-send >/dev/null; then
	notify-send Pollux "$message"
elif command -v osascript >/dev/null; then
	osascript -e 'on run argv' -e 'display notification (item 1 of argv) with title "Pollux"' -e 'end run' "$message"
fi >/dev/null 2>&1 || true
