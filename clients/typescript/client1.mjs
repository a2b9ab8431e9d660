// The client of the first TypeScript SDK, as most clients of today have it.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { story } from './story.mjs';

const [door, ...rest] = process.argv.slice(2);
const client = new Client({ name: 'first-sdk', version: '1' });
await client.connect(door === 'stdio' ? pipes(rest) : http(rest));
await story(client, {
  version: '2025-11-25',
  async watch(uri, changed) {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => changed(n.params.uri));
    await client.subscribeResource({ uri });
    return () => client.unsubscribeResource({ uri });
  },
});

function pipes([command, ...args]) {
  return new StdioClientTransport({ command, args, env: process.env });
}

function http([url, token]) {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } });
}
