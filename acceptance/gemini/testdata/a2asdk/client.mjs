// A client made with the protocol's own SDK: a turn with a question, which it answers, and what follows.
import { A2AClient } from '@a2a-js/sdk/client';

const client = await A2AClient.fromCardUrl(process.argv[2] + '.well-known/agent-card.json');
let task = '';
const say = async (...parts) => {
  const words = [];
  let call = '';
  const message = { kind: 'message', role: 'user', messageId: crypto.randomUUID(), parts };
  if (task) message.taskId = task;
  for await (const e of client.sendMessageStream({ message })) {
    task = e.taskId ?? e.id;
    const kind = e.metadata?.coderAgent?.kind ?? e.kind;
    const text = e.status?.message?.parts?.[0]?.text ?? e.status?.message?.parts?.[0]?.data?.status ?? e.status?.state ?? '';
    call = e.status?.message?.parts?.[0]?.data?.request?.callId ?? call;
    words.push(kind + ' ' + text + (e.final ? ' final' : ''));
  }
  console.log(words.join('\n'));
  return call;
};
const call = await say({ kind: 'text', text: 'Go' });
await say({ kind: 'data', data: { callId: call, outcome: 'proceed_once' } });
const got = await client.getTask({ id: task, historyLength: 1 });
console.log('get', got.result.status.state, got.result.history.length);
const sent = await client.sendMessage({ message: { kind: 'message', role: 'user', messageId: 'm', taskId: task, parts: [{ kind: 'text', text: 'More' }] } });
console.log('send', sent.result.status.state, sent.result.history.at(-1).parts[0].text);
for await (const e of client.resubscribeTask({ id: task })) console.log('resubscribe', e.kind);
const end = await client.cancelTask({ id: task });
console.log('cancel', end.result.status.state);
const again = await client.cancelTask({ id: task });
console.log('again', again.error.code);
const none = await client.getTask({ id: 'none' });
console.log('none', none.error.code);
