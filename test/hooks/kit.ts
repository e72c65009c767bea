import { text as readText } from 'node:stream/consumers'
import { noOutbound } from '../../adapters/memory/absent.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as webhooks from '../../handlers/hooks/webhooks.ts'
import { commit } from '../../runtime/events/commit.ts'
import { event } from '../../runtime/events/event.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { openSite } from '../tools/web/site.ts'

export interface Request {
  url: string
  headers: Record<string, string>
  body: string
}

type Answer = number | { status: number; body?: string }

/** A receiver without a network. It answers by address; 200 unless told otherwise. */
export function receiver(answer: (request: Request, count: number) => Answer | Promise<Answer> = () => 200) {
  const received: Request[] = []
  const outbound = {
    ...noOutbound,
    async fetch(url: string | URL, init: RequestInit = {}) {
      const request = {
        url: String(url),
        headers: Object.fromEntries(new Headers(init.headers)),
        body: String(init.body ?? ''),
      }
      received.push(request)
      const given = await answer(request, received.length)
      const { status, body = 'ok' } = typeof given === 'number' ? { status: given } : given
      return new Response(status === 204 ? null : body, { status })
    },
  }
  return { received, outbound }
}

/** A real receiver on the loopback. */
export async function realReceiver(status = 200) {
  const received: Request[] = []
  const site = await openSite(async (request, response) => {
    received.push({
      url: request.url ?? '',
      headers: request.headers as Record<string, string>,
      body: await readText(request),
    })
    response.writeHead(status).end('thanks')
  })
  return { site, received, url: `${site.origin}/hook` }
}

export const newWebhook = async (host: MemoryHost, body: object = {}) =>
  (
    await call(webhooks.create, host, {
      body: { name: 'Mine', url: 'https://example.org/hook', events: ['chain.*'], ...body },
    })
  ).json()

export const chainEvent = (name: string, owner = '') => event('chain.created', { chain_id: 'chain_1', name }, owner)

export const happen = (host: MemoryHost, ...names: string[]) =>
  commit(
    host,
    [],
    names.map((name) => chainEvent(name)),
  )

export const deliveriesOf = async (host: MemoryHost, id: string, query = {}) =>
  (await (await call(webhooks.deliveries, host, { params: { id }, query })).json()).deliveries

export async function pass(host: MemoryHost, milliseconds: number): Promise<void> {
  await host.clock.advance(milliseconds)
  await workOff(host)
}

export const hostWith = (site: ReturnType<typeof receiver>) => testHost({ outbound: site.outbound })
