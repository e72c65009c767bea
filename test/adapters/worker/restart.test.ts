import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Bundle, bundleWorker } from '../../../adapters/worker/bundle.ts'
import { startWorkerd } from '../../hosts/workerd.ts'

let folder: string
let bundle: Bundle

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hearthd-worker-'))
  bundle = await bundleWorker({ entry: 'adapters/worker/worker.ts' })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Runs with a service on the one folder, as a deployment that is replaced by the next. */
async function serving<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const running = startWorkerd({ modules: bundle.modules, persist: folder })
  try {
    return await use((await running.ready).origin)
  } finally {
    await running.dispose()
  }
}

const post = (url: string, body: unknown, headers: Record<string, string>) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** Resolves with the first event of a type. */
function heard(url: string, type: string): Promise<{ conversation_id: string }> {
  const socket = new WebSocket(url)
  return new Promise((resolve, reject) => {
    socket.addEventListener('error', () => reject(new Error('the socket failed')))
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data))
      if (frame.type !== type) return
      socket.close()
      resolve(frame.data)
    })
  })
}

test('a turn whose client has left still ends, and a new deployment has all data', async () => {
  const { key, conversation_id } = await serving(async (url) => {
    const admin = { username: 'ada', password: 'correct horse battery' }
    const made = await (await post(`${url}/api/setup/admin`, admin, { 'x-setup-token': 'let me in' })).json()
    const authorization = `Bearer ${made.api_key.key}`
    const finished = heard(`${url.replace('http', 'ws')}/ws/events?token=${made.api_key.key}`, 'agent.run.finished')
    const stream = await post(`${url}/api/chat/messages/stream`, { message: 'What is 12 * 13?' }, { authorization })
    await stream.body?.cancel()
    return { key: made.api_key.key, conversation_id: (await finished).conversation_id }
  })

  await serving(async (url) => {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(`${url}/api/chat/conversations/${conversation_id}`, { headers })
    const { status, messages } = await response.json()
    expect(status).toBe('idle')
    expect(messages[1]).toMatchObject({ status: 'complete', content: expect.stringContaining('156') })
    expect(await (await fetch(`${url}/api/health`)).json()).toMatchObject({ bootstrap_mode: false })
  })
})
