import { join } from 'node:path'
import { type Peer, urlOf } from './peer.ts'

/** Its package downloads the program from GitHub when it is installed. Start and memory only. */
export const inngest: Peer = {
  name: 'Inngest',
  packages: ['inngest-cli@1.45.1'],
  commands: ({ folder, data, ports }) => [
    {
      file: join(folder, 'node_modules/.bin/inngest'),
      args: ['start', '--port', String(ports[0]), '--sqlite-dir', data, '--event-key', 'ab', '--signing-key', 'abcd'],
    },
  ],
  ready: (place) => `${urlOf(place)}/health`,
}
