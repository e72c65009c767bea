import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, type Flows, type Peer, type Place, post, urlOf } from './peer.ts'

/** The service whose steps Restate makes durable; a process of its own, which survives the kill of the server. */
const service = (sink: string, port: number | undefined) => `
import * as restate from '@restatedev/restate-sdk'
const steps = async (context, { n }) => {
  const more = await context.run('set', () => n + 1)
  return context.run('code', () => more * 2)
}
const flow = restate.service({
  name: 'flow',
  handlers: {
    three: async (context, input) => {
      const doubled = await steps(context, input)
      return context.run('respond', () => ({ n: doubled }))
    },
    effect: async (context, input) => {
      const doubled = await steps(context, input)
      await context.run('call', async () => {
        await fetch('${sink}/seen/' + (doubled / 2 - 1), { method: 'POST' })
      })
    },
  },
})
restate.serve({ services: [flow], port: ${port} })
`

export const restate: Peer = {
  name: 'Restate',
  packages: ['@restatedev/restate-server@1.7.12', '@restatedev/restate-sdk'],
  commands: ({ folder, data, ports: [ingress, admin, node, app], sink }): Command[] => [
    {
      file: join(folder, 'node_modules/.bin/restate-server'),
      args: ['--no-logo', '--base-dir', data, '--bind-port', String(node)],
      env: {
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_DISABLE_TELEMETRY: 'true',
        RUST_LOG: 'error',
      },
    },
    {
      file: process.execPath,
      args: ['--input-type=module', '-e', service(sink, app)],
      env: { NODE_ENV: 'production', RESTATE_LOGGING: 'ERROR' },
    },
  ],
  ready: (place) => `${urlOf(place)}/restate/health`,
  async open(place: Place): Promise<Flows> {
    // The service may still be starting.
    for (let attempt = 1; ; attempt += 1) {
      try {
        await post(`${urlOf(place, 1)}/deployments`, { uri: urlOf(place, 3), force: true })
        break
      } catch (thrown) {
        if (attempt === 20) throw thrown
        await sleep(500)
      }
    }
    return { three: `${urlOf(place)}/flow/three`, effect: `${urlOf(place)}/flow/effect/send` }
  },
}
