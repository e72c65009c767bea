import { join } from 'node:path'
import { type Flows, type Peer, type Place, post, urlOf } from './peer.ts'

/** The functions whose steps Inngest makes durable; a process of its own, which survives the kill of the server. */
const app = (place: Place) => `
import { createServer } from 'node:http'
import { Inngest } from 'inngest'
import { serve } from 'inngest/node'
const inngest = new Inngest({ id: 'peers', isDev: true, baseUrl: '${urlOf(place)}' })
const flow = (name, last) =>
  inngest.createFunction({ id: name, triggers: [{ event: name }] }, async ({ event, step }) => {
    const more = await step.run('set', () => event.data.n + 1)
    const doubled = await step.run('code', () => more * 2)
    return step.run('last', () => last(doubled))
  })
const seen = async (doubled) => {
  await fetch('${place.sink}/seen/' + (doubled / 2 - 1), { method: 'POST' })
}
const functions = [flow('three', (doubled) => ({ n: doubled })), flow('effect', seen)]
createServer(serve({ client: inngest, functions })).listen(${place.ports[1]}, '127.0.0.1')
`

export const inngest: Peer = {
  name: 'Inngest',
  packages: ['inngest-cli@1.45.1', 'inngest'],
  commands: (place) => [
    {
      file: join(place.folder, 'node_modules/.bin/inngest'),
      args: [
        ...['start', '--port', String(place.ports[0]), '--sqlite-dir', place.data],
        ...[
          '--event-key',
          'abcdef',
          '--signing-key',
          '0123456789abcdef',
          '--sdk-url',
          `${urlOf(place, 1)}/api/inngest`,
        ],
      ],
    },
    { file: process.execPath, args: ['--input-type=module', '-e', app(place)] },
  ],
  ready: (place) => `${urlOf(place)}/health`,
  async open(place: Place): Promise<Flows> {
    await post(`${urlOf(place, 1)}/api/inngest`, {}).catch(() => null)
    return { three: '', effect: `${urlOf(place)}/e/abcdef` }
  },
}
