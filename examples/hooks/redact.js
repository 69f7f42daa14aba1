#!/usr/bin/env node
// BeforeModel: remove keys from what is sent to the model.
const keys = /\b(AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{36}|sk-[A-Za-z0-9_-]{20,})\b/g;

const event = JSON.parse(require("fs").readFileSync(0, "utf8"));
const messages = event.llm_request.messages.map((m) => ({ ...m, content: m.content.replace(keys, "[key]") }));
if (messages.some((m, i) => m.content !== event.llm_request.messages[i].content)) {
  console.log(JSON.stringify({ hookSpecificOutput: { llm_request: { messages } } }));
}
