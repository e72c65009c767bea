import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Peer, type Place, urlOf } from './peer.ts'

const environment = ({ data, ports }: Place) => ({
  N8N_USER_FOLDER: data,
  N8N_PORT: String(ports[0]),
  N8N_RUNNERS_BROKER_PORT: String(ports[1]),
  N8N_LISTEN_ADDRESS: '127.0.0.1',
  N8N_DIAGNOSTICS_ENABLED: 'false',
  N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
  N8N_TEMPLATES_ENABLED: 'false',
  N8N_LOG_LEVEL: 'error',
})

const program = ({ folder }: Place) => join(folder, 'node_modules/n8n/bin/n8n')

/** `typeVersion`s of the nodes as n8n's own editor would write them. */
function workflow(id: string, responds: boolean, last: object | null): object {
  const node = (name: string, type: string, typeVersion: number, parameters: object) => ({
    ...{ id: `${id}-${name}`, name, type: `n8n-nodes-base.${type}`, typeVersion, position: [0, 0], parameters },
    ...(type === 'webhook' ? { webhookId: id } : {}),
  })
  const nodes = [
    node('hook', 'webhook', 2, {
      httpMethod: 'POST',
      path: id,
      responseMode: responds ? 'lastNode' : 'onReceived',
      options: {},
    }),
    node('set', 'set', 3.4, {
      mode: 'manual',
      assignments: { assignments: [{ id: 'n', name: 'n', value: '={{ $json.body.n + 1 }}', type: 'number' }] },
      options: {},
    }),
    node('code', 'code', 2, { jsCode: 'return [{ json: { n: $input.first().json.n * 2 } }]' }),
    ...(last ? [node('call', 'httpRequest', 4.2, last)] : []),
  ]
  const names = nodes.map(({ name }) => name)
  const connections = Object.fromEntries(
    names.slice(0, -1).map((name, index) => [name, { main: [[{ node: names[index + 1], type: 'main', index: 0 }]] }]),
  )
  return { id, name: id, active: false, nodes, connections, settings: { executionOrder: 'v1' }, pinData: {} }
}

export const n8n: Peer = {
  name: 'n8n',
  // Newer ones ask for a package version that the registry does not have.
  packages: ['n8n@2.40.7'],
  // Its client of Kafka needs libraries of the system.
  builds: 'sqlite3',
  async prepare(place: Place) {
    mkdirSync(place.data, { recursive: true })
    const file = join(place.data, 'flows.json')
    const call = { method: 'POST', url: `={{ "${place.sink}/seen/" + ($json.n / 2 - 1) }}`, options: {} }
    writeFileSync(file, JSON.stringify([workflow('three', true, null), workflow('effect', false, call)]))
    const options = { env: { ...process.env, ...environment(place) }, timeout: 300_000 }
    const n8n = (...args: string[]) => promisify(execFile)(process.execPath, [program(place), ...args], options)
    await n8n('import:workflow', `--input=${file}`)
    await n8n('publish:workflow', '--id=three')
    await n8n('publish:workflow', '--id=effect')
  },
  commands: (place) => [{ file: process.execPath, args: [program(place), 'start'], env: environment(place) }],
  ready: (place) => `${urlOf(place)}/healthz/readiness`,
  open: async (place) => ({ three: `${urlOf(place)}/webhook/three`, effect: `${urlOf(place)}/webhook/effect` }),
}
