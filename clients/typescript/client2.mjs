// The client of the second TypeScript SDK, in the protocol of 2026-07-28, which knows no sessions.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { story } from './story.mjs';

const [door, ...rest] = process.argv.slice(2);
const version = '2026-07-28';
const client = new Client({ name: 'second-sdk', version: '2' }, { versionNegotiation: { mode: { pin: version } } });
await client.connect(door === 'stdio' ? pipes(rest) : http(rest));
await story(client, {
  version,
  async watch(uri, changed) {
    client.setNotificationHandler('notifications/resources/updated', (n) => changed(n.params.uri));
    const stream = await client.listen({ resourceSubscriptions: [uri] });
    return () => stream.close();
  },
});

function pipes([command, ...args]) {
  return new StdioClientTransport({ command, args, env: process.env });
}

function http([url, token]) {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
}
