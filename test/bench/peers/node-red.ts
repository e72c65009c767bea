import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Peer, type Place, urlOf } from './peer.ts'

const settings = (uiPort: number | undefined) => ({
  ...{ uiPort, uiHost: '127.0.0.1', flowFile: 'flows.json', credentialSecret: false },
  logging: { console: { level: 'error' } },
  telemetry: { enabled: false, updateNotification: false },
})

function flows(sink: string): object[] {
  const on = (id: string, type: string, next: string[], more: object = {}) => ({
    ...{ id, type, z: 'flow', x: 1, y: 1, name: '', wires: next.length === 0 ? [] : [next] },
    ...more,
  })
  const set = (id: string, next: string) =>
    on(id, 'change', [next], { rules: [{ t: 'set', p: 'payload.n', pt: 'msg', to: 'payload.n + 1', tot: 'jsonata' }] })
  const code = (id: string, func: string, next: string) => on(id, 'function', [next], { func, outputs: 1 })
  return [
    { id: 'flow', type: 'tab', label: 'peers' },
    on('three', 'http in', ['set3'], { url: '/three', method: 'post' }),
    set('set3', 'code3'),
    code('code3', 'msg.payload = { n: msg.payload.n * 2 }; return msg', 'answer'),
    on('answer', 'http response', [], { statusCode: '200', headers: {} }),
    on('effect', 'http in', ['answer', 'set4'], { url: '/effect', method: 'post' }),
    set('set4', 'code4'),
    code('code4', `return { method: 'POST', url: '${sink}/seen/' + (msg.payload.n - 1), payload: {} }`, 'call'),
    on('call', 'http request', [], { method: 'use', ret: 'txt', url: '' }),
  ]
}

export const nodeRed: Peer = {
  name: 'Node-RED',
  packages: ['node-red@5.0.7'],
  async prepare({ data, ports, sink }: Place) {
    mkdirSync(data, { recursive: true })
    writeFileSync(join(data, 'flows.json'), JSON.stringify(flows(sink)))
    writeFileSync(join(data, 'settings.js'), `module.exports = ${JSON.stringify(settings(ports[0]))}`)
  },
  commands: ({ folder, data }) => [
    {
      file: process.execPath,
      args: [
        join(folder, 'node_modules/node-red/red.js'),
        ...['--userDir', data, '--settings', join(data, 'settings.js')],
      ],
    },
  ],
  ready: (place) => `${urlOf(place)}/settings`,
  open: async (place) => ({ three: `${urlOf(place)}/three`, effect: `${urlOf(place)}/effect` }),
}
