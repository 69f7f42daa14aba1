// A server of the Model Context Protocol: one JSON-RPC message on each line of standard input and
// output. Larger servers use the package @modelcontextprotocol/sdk.
'use strict';
const readline = require('node:readline');

const roll = {
  name: 'roll',
  description: 'Rolls dice and returns the results.',
  inputSchema: {
    type: 'object',
    properties: {
      count: { type: 'integer', minimum: 1, maximum: 100, description: 'How many dice' },
      sides: { type: 'integer', minimum: 2, description: 'How many sides each has' },
    },
    required: ['count'],
  },
  annotations: { readOnlyHint: true },
};

const methods = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'dice', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [roll] }),
  'tools/call': ({ name, arguments: args }) => {
    if (name !== roll.name) throw new Error(`There is no tool ${name}`);
    const sides = args.sides || Number(process.env.DICE_SIDES) || 6;
    const results = Array.from({ length: args.count }, () => 1 + Math.floor(Math.random() * sides));
    return { content: [{ type: 'text', text: results.join(', ') }] };
  },
};

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return; // a notification
  const answer = { jsonrpc: '2.0', id };
  try {
    if (!methods[method]) throw new Error(`Method not found: ${method}`);
    answer.result = methods[method](params || {});
  } catch (err) {
    answer.error = { code: methods[method] ? -32602 : -32601, message: err.message };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
});
