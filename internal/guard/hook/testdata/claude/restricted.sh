#!/bin/sh
# Refuses searches and lists below secrets/, and the subagent that may publish.
case $(cat) in
*'"tool_name":"Grep"'*'secrets'* | *'"tool_name":"Glob"'*'secrets'* | *'"tool_name":"LS"'*'secrets'*) ;;
*'"subagent_type":"publisher"'*) ;;
*) exit 0 ;;
esac
echo '{"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "Not there."}}'
