import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import * as credentials from '../../handlers/credentials/credentials.ts'
import { areas } from '../../handlers/index.ts'
import { sections } from '../../handlers/settings/sections.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { fetchWith } from '../../runtime/credentials/index.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { oauthFields, openOAuth, stored } from './kit.ts'

let service: Awaited<ReturnType<typeof openOAuth>>
let host: MemoryHost
beforeEach(async () => {
  service = await openOAuth()
  host = await testHost({ outbound: service.outbound })
})
afterEach(() => service.close())

const made = (rest: object = {}) =>
  stored(host, { fields: oauthFields(service.origin, rest), test_url: `${service.origin}/me` })
const begin = async (id: string, caller?: Caller) =>
  (await call(credentials.authorize, host, { params: { id }, ...(caller && { caller }) })).json()
const end = (id: string, body: object, caller?: Caller) =>
  call(credentials.authorized, host, { params: { id }, body, ...(caller && { caller }) })
const authorized = async () => {
  const { id } = await made()
  const { url } = await begin(id)
  await end(id, service.agree(url))
  return id
}
const get = async (id: string, on: MemoryHost = host) =>
  (await fetchWith(localContext(on), id, `${service.origin}/me`)).status

describe('a person authorizes it', () => {
  test('on the page of the service, with PKCE', async () => {
    const { id, authorized: before } = await made()
    const { url, redirect_uri } = await begin(id)
    const page = new URL(url)
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      ...{ response_type: 'code', client_id: 'hearthd', scope: 'read', code_challenge_method: 'S256' },
      redirect_uri: 'http://127.0.0.1:18781/settings/credentials',
    })
    expect(redirect_uri).toBe('http://127.0.0.1:18781/settings/credentials')

    const after = await (await end(id, service.agree(url))).json()
    expect([before, after.authorized]).toEqual([false, true])
    expect(await get(id)).toBe(200)
    expect(JSON.stringify(await host.sql.read('SELECT * FROM credentials'))).not.toMatch(/access-token|refresh-token/)
  })

  test('at the public address if there is one', async () => {
    const public_base_url = 'https://home.example'
    await call(sections.channels.update, host, { body: { public_base_url } })
    expect(await begin((await made()).id)).toMatchObject({
      redirect_uri: 'https://home.example/settings/credentials',
    })
  })

  test('once', async () => {
    const { id } = await made()
    const answer = service.agree((await begin(id)).url)
    const both = await Promise.all([end(id, answer), end(id, answer)])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(service.requests).toHaveLength(1)
  })

  test.each([
    ['another session', (answer: object) => [answer, { ...adminCaller, id: 'sess_other' }] as const],
    ['another state', (answer: object) => [{ ...answer, state: 'x' }, undefined] as const],
  ])('not from %s', async (_, change) => {
    const { id } = await made()
    const [answer, caller] = change(service.agree((await begin(id)).url))
    expect((await end(id, answer, caller)).status).toBe(409)
    expect(service.requests).toEqual([])
  })

  test('within ten minutes', async () => {
    const { id } = await made()
    const answer = service.agree((await begin(id)).url)
    await host.clock.advance(600_000)
    expect((await end(id, answer)).status).toBe(409)
  })

  test('again after it was given other fields', async () => {
    const id = await authorized()
    const fields = oauthFields(service.origin, { client_id: 'other', client_secret: undefined })
    const changed = await (await call(credentials.update, host, { params: { id }, body: { fields } })).json()
    expect(changed.authorized).toBe(false)
    await expect(get(id)).rejects.toThrow('must be authorized again')
  })
})

describe('the access token', () => {
  test('is renewed before it expires', async () => {
    const id = await authorized()
    await get(id)
    expect(service.requests).toHaveLength(1)
    await host.clock.advance(9.5 * 60_000)
    expect(await get(id)).toBe(200)
    expect(service.requests.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token'])
  })

  test('is renewed once when the service refuses it', async () => {
    const id = await authorized()
    service.revoke()
    expect(await get(id)).toBe(200)
    expect(service.requests).toHaveLength(2)
  })

  test('comes with client credentials when it is first used', async () => {
    const { id, authorized: ready } = await made({ grant: 'client_credentials' })
    expect(ready).toBe(true)
    expect([await get(id), await get(id)]).toEqual([200, 200])
    expect(service.requests).toHaveLength(1)
  })

  test('is renewed by one process at a time', async () => {
    const id = await authorized()
    const { sql, secrets, outbound } = host
    const second = await createMemoryHost(areas, { sql, secrets, outbound })
    service.revoke()
    const released = Promise.withResolvers<void>()
    service.hold(released.promise)
    const answers = [get(id), get(id, second), get(id), get(id, second)]
    while (service.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
    released.resolve()
    const done = Promise.all(answers)
    for (let count = 0; count < 50; count += 1) {
      await Promise.all([host.clock.advance(200), second.clock.advance(200)])
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await done).toEqual([200, 200, 200, 200])
    expect(service.requests.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token'])
  })

  test('is given up when the service takes the authorization back', async () => {
    const id = await authorized()
    service.revoke()
    service.forget()
    await expect(get(id)).rejects.toThrow('The token endpoint refused: invalid_grant')
    const shown = await (await call(credentials.show, host, { params: { id } })).json()
    expect(shown.authorized).toBe(false)
  })
})
