import { join } from 'node:path'
import { type Peer, urlOf } from './peer.ts'

/** It has no flows: start and memory only. */
export const openClaw: Peer = {
  name: 'OpenClaw',
  packages: ['openclaw@2026.9.6'],
  commands: ({ folder, data, ports }) => [
    {
      file: process.execPath,
      args: [
        join(folder, 'node_modules/openclaw/openclaw.mjs'),
        ...['gateway', '--allow-unconfigured', '--auth', 'none', '--bind', 'loopback', '--port', String(ports[0])],
      ],
      env: { OPENCLAW_STATE_DIR: data, OPENCLAW_HOME: data },
    },
  ],
  ready: (place) => `${urlOf(place)}/`,
}
