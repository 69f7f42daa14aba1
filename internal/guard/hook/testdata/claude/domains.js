#!/usr/bin/env node
// Fetches only from hosts that are listed.
const chunks = [];
process.stdin.on("data", (c) => chunks.push(c)).on("end", () => {
  const { tool_name, tool_input } = JSON.parse(Buffer.concat(chunks));
  if (tool_name !== "WebFetch") process.exit(0);
  if (new URL(tool_input.url).hostname !== "docs.example.com") {
    console.error(`${tool_input.url} is not an allowed host.`);
    process.exit(2);
  }
});
