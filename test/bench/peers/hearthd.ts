import { daemonFlags, daemonVariables } from '../../../adapters/node/cli/process.ts'
import { drawn } from '../../workflows/kit.ts'
import { file, setUp } from '../processes.ts'
import { type Flows, type Peer, type Place, post, urlOf } from './peer.ts'

const settings = { mode: 'parallel', max_concurrent: 64 }
const set = { type: 'set', params: { values: { n: '=input.body.n + 1' } } }
const code = { type: 'code', params: { code: 'return { n: input.n * 2 }' } }

const three = drawn(
  {
    hook: { type: 'trigger.webhook', params: { response: 'respond_node', calls_per_minute: 1_000_000 } },
    set,
    code,
    respond: { type: 'respond' },
  },
  ['hook → set', 'set → code', 'code → respond'],
  { name: 'three', settings },
)

const effect = (sink: string) =>
  drawn(
    {
      hook: { type: 'trigger.webhook', params: { calls_per_minute: 1_000_000 } },
      set,
      code,
      call: { type: 'http', params: { method: 'POST', url: `="${sink}/seen/" & $string(input.n / 2 - 1)` } },
    },
    ['hook → set', 'set → code', 'code → call'],
    { name: 'effect', settings },
  )

async function activated(url: string, headers: Record<string, string>, workflow: unknown): Promise<string> {
  const { id } = (await post(`${url}/api/workflows`, workflow, headers)) as { id: string }
  await post(`${url}/api/workflows/${id}/activate`, {}, headers)
  const answer = await fetch(`${url}/api/workflows/${id}/triggers`, { headers })
  const { triggers } = (await answer.json()) as { triggers: { path: string }[] }
  return url + triggers[0]?.path
}

export const hearthd: Peer = {
  name: 'hearthd',
  packages: [],
  commands: ({ data, ports }) => [
    {
      file: process.execPath,
      args: [...daemonFlags, file('adapters/node/cli/hearthd.js'), 'start', '--port', String(ports[0])],
      env: {
        ...daemonVariables,
        SERVICE_DATA_DIR: data,
        SERVICE_LOG_LEVEL: 'error',
        SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1',
      },
    },
  ],
  ready: (place) => `${urlOf(place)}/health/ready`,
  async open(place: Place): Promise<Flows> {
    const url = urlOf(place)
    const headers = { authorization: `Bearer ${await setUp(url)}` }
    return {
      three: await activated(url, headers, three),
      effect: await activated(url, headers, effect(place.sink)),
    }
  },
}
