import { afterAll, expect, test } from 'vitest'
import { hmacSha256, signStandard, toHex } from '../../runtime/secrets/signatures.ts'
import type { Workflow } from '../../runtime/workflows/schema.ts'
import { Service } from '../faults/service.ts'
import { drawn } from './kit.ts'

/** Signed calls of webhooks over real sockets: the requests of a server are not those of `fetch`. */

const service = await Service.start()
afterAll(() => service.kill())

const body = JSON.stringify({ n: 'ä' })
const secret = 'Zk3vQ8mXr1TpW6yL'
const key = `whsec_${btoa('0123456789abcdef01234567')}`
const bytes = (text: string) => new TextEncoder().encode(text)
const signatures: Record<string, [fields: object, sign: () => Promise<Record<string, string>>]> = {
  hmac: [{ secret }, async () => ({ 'x-signature': toHex(await hmacSha256(bytes(secret), bytes(body))) })],
  standard: [
    { secret: key },
    async () => ({ ...(await signStandard([key], { id: 'msg_1', timestamp: Math.floor(Date.now() / 1000), body })) }),
  ],
}

test.each(Object.entries(signatures))(
  '%s: a call with its signature is read, another is refused',
  async (kind, [fields, sign]) => {
    const credential = { name: kind, hosts: ['shop.example'], fields: { kind, ...fields } }
    await service.read('POST', '/api/credentials', credential)
    const nodes = { go: { type: 'trigger.webhook', params: { response: 'at_end', output: 'body', credential: kind } } }
    const { id } = await service.read<Workflow>('POST', '/api/workflows', drawn(nodes, []))
    await service.read('POST', `/api/workflows/${id}/activate`)
    const { triggers } = await service.read<{ triggers: { path: string }[] }>('GET', `/api/workflows/${id}/triggers`)
    const send = async (text: string) => {
      const headers = { 'content-type': 'application/json', ...(await sign()) }
      return fetch(service.url + triggers[0]?.path, { method: 'POST', headers, body: text })
    }
    const response = await send(body)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ n: 'ä' })
    expect((await send(`${body} `)).status).toBe(401)
  },
)
