import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import WebSocket from 'ws'
import { IssuedKey, SetupResult } from '../../runtime/auth/schema.ts'
import { type TestDaemon, testDaemon } from '../support/daemon.ts'

const password = 'canary horse battery'

let daemon: TestDaemon
let admin: string
let setups: Response[]

beforeAll(async () => {
  daemon = await testDaemon()
  setups = await Promise.all(
    Array.from({ length: 50 }, (_, index) => post('/api/setup/admin', { username: `user${index}`, password })),
  )
  const won = setups.find((answer) => answer.status === 201)
  admin = SetupResult.parse(await won?.json()).api_key.key
})

afterAll(() => daemon.close())

const send = (method: string, path: string, body?: unknown, key?: string) =>
  fetch(daemon.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

const post = (path: string, body?: unknown, key?: string) => send('POST', path, body, key)

const newKey = async () =>
  IssuedKey.parse(await (await post('/api/auth/keys', { name: 'ci', description: '' }, admin)).json())

/** The code with which an open socket is closed. */
async function socketOf(key: string): Promise<{ closed: Promise<number>; socket: WebSocket }> {
  const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}/ws/events?token=${key}`)
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return { closed, socket }
}

test('of 50 concurrent setups over HTTP exactly one wins', () => {
  const statuses = setups.map((answer) => answer.status).sort()
  expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)])
})

test('of 50 concurrent rotations over HTTP exactly one wins', async () => {
  const { id } = await newKey()
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => post(`/api/auth/keys/${id}/rotate`, undefined, admin)),
  )
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 409)])
})

test('a socket closes with 4401 when its key is rotated or revoked', async () => {
  const rotated = await newKey()
  const revoked = await newKey()
  const [one, two] = [await socketOf(rotated.key), await socketOf(revoked.key)]
  await post(`/api/auth/keys/${rotated.id}/rotate`, undefined, admin)
  await send('DELETE', `/api/auth/keys/${revoked.id}`, undefined, admin)
  expect(await Promise.all([one.closed, two.closed])).toEqual([4401, 4401])
})

test('no secret is in any file of the data folder', async () => {
  const made = await newKey()
  const login = await post('/api/auth/login', { username: 'nobody', password })
  expect(login.status).toBe(401)
  const { ticket } = (await (await post('/api/auth/ws-ticket', undefined, admin)).json()) as {
    ticket: string
  }
  const files = readdirSync(daemon.data_dir, { recursive: true, encoding: 'utf8' })
  const contents = files
    .map((file) => join(daemon.data_dir, file))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
  expect(contents.some((content) => content.includes(made.id))).toBe(true)
  for (const secret of [password, admin, made.key, ticket]) {
    expect(
      contents.some((content) => content.includes(secret)),
      secret.slice(0, 5),
    ).toBe(false)
  }
})
