// What every TypeScript client does with wake. The SDKs check each structured answer against the tool's
// output schema by themselves, once the tools have been listed.

import assert from 'node:assert/strict';

// door.version is the protocol that must have been agreed upon; door.watch(uri, changed) watches a resource
// and returns what ends that.
export async function story(client, door) {
  assert.equal(client.getServerVersion().name, 'wake');
  assert.match(client.getInstructions(), /save_context/);
  if (client.getNegotiatedProtocolVersion) {
    assert.equal(client.getNegotiatedProtocolVersion(), door.version);
  }
  const { tools } = await client.listTools();
  assert.ok(tools.length >= 14, `${tools.length} tools`);
  for (const tool of tools) {
    assert.ok(tool.outputSchema, `${tool.name} has no output schema`);
  }

  const id = await saveAndFind(client);
  await record(client);
  await watch(client, door, id);
  await complete(client, id);
  await wrongCall(client);
  await client.close();
}

async function call(client, name, args) {
  const answer = await client.callTool({ name, arguments: args });
  assert.ok(!answer.isError, `${name}: ${JSON.stringify(answer.content)}`);
  assert.ok(answer.structuredContent, `${name} answered no structured content`);
  return answer.structuredContent;
}

async function saveAndFind(client) {
  const cause = await call(client, 'save_context', { content: 'Mails to customers were sent twice after a crash.', action_type: 'research' });
  const { id } = await call(client, 'save_context', {
    content: 'Mails go through an outbox table and are sent after the commit.',
    action_type: 'decision', rationale: 'a crash between commit and send must not lose or double one', caused_by: cause.id, tags: ['mail'],
  });
  const found = await call(client, 'search_context', { query: 'how do we send mails?' });
  assert.ok(found.hits.some((hit) => hit.id === id), JSON.stringify(found));
  const chain = await call(client, 'causal_chain', { id });
  assert.equal(chain.nodes.length, 2);
  const loaded = await call(client, 'load_context', { ids: [id] });
  assert.equal(loaded.contexts[0].id, id);
  for (const tool of ['predict', 'memory_stats', 'recalculate']) {
    await call(client, tool, {});
  }
  await call(client, 'forget_context', { ids: [id] }); // a dry run
  return id;
}

async function record(client) {
  const { session_id } = await call(client, 'record', {
    client: 'typescript', client_session_id: 's1',
    events: [
      { type: 'message', role: 'user', content: 'Send the mails once.' },
      { type: 'step', id: 'build', status: 'completed', output: { ok: true } },
      { type: 'usage', tokens: 1000, limit: 100000 },
    ],
  });
  await call(client, 'checkpoint', { action: 'create', session_id, label: 'outbox' });
  await call(client, 'handoff', { action: 'create', session_id, to_mode: 'review', task: 'check the outbox' });
  await call(client, 'session_report', { session_id, format: 'status' });
  const resumed = await call(client, 'resume', { session_id });
  assert.ok(resumed.messages.some((m) => m.content === 'Send the mails once.'), JSON.stringify(resumed));
}

// A watcher is told when its resource changes, and of no other.
async function watch(client, door, id) {
  const uri = `wake://contexts/${id}`;
  const before = JSON.parse((await client.readResource({ uri })).contents[0].text);
  assert.equal(before.id, id);
  const told = Promise.withResolvers();
  setTimeout(told.reject, 10_000, new Error(`no update of ${uri}`)).unref();
  const unwatch = await door.watch(uri, told.resolve);
  await call(client, 'update_context', { id, pinned: true });
  assert.equal(await told.promise, uri);
  await unwatch();
}

async function complete(client, id) {
  const { completion } = await client.complete({
    ref: { type: 'ref/resource', uri: 'wake://contexts/{id}' },
    argument: { name: 'id', value: id.slice(0, 8) },
  });
  assert.deepEqual(completion.values, [id]);
}

// A wrong call is a tool's answer that says what to do, never a broken connection.
async function wrongCall(client) {
  const answer = await client.callTool({ name: 'load_context', arguments: { ids: ['nope'] } });
  assert.equal(answer.isError, true);
  assert.match(answer.content[0].text, /NotFound/);
}
