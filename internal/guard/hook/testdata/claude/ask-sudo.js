#!/usr/bin/env node
// Asks a person before sudo, and lets everything else through.
const event = JSON.parse(require("fs").readFileSync(0, "utf8"));
if (event.tool_name === "Bash" && /(^|[;&|]\s*)sudo\b/.test(event.tool_input.command)) {
  console.log(JSON.stringify({
    hookSpecificOutput: { hookEventName: event.hook_event_name, permissionDecision: "ask", permissionDecisionReason: "This runs as root." },
  }));
} else {
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: event.hook_event_name, permissionDecision: "allow" } }));
}
