import type { Miniflare } from 'miniflare'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Bundle, bundleWorker } from '../../adapters/worker/bundle.ts'
import { hostSuite } from './suite.ts'
import { startWorkerd } from './workerd.ts'

let bundle: Bundle

beforeAll(async () => {
  bundle = await bundleWorker({ entry: 'adapters/worker/worker.ts' })
})

/** What the Workers of this file wrote to their log. */
const log: string[] = []

const workerd = (bindings: Record<string, string> = {}) =>
  startWorkerd({ modules: bundle.modules, bindings, on_log: (message) => log.push(message) })

describe('workerd', () => {
  hostSuite(async () => {
    const running = workerd({ SERVICE_CORS_ORIGINS: 'http://localhost:5173' })
    const url = (await running.ready).origin
    return { url, setup_headers: { 'x-setup-token': 'let me in' }, close: () => running.dispose() }
  })
})

test('none of this logged an error', () => {
  expect(log).toEqual([])
})

test('the bundle contains no Node modules', () => {
  expect(bundle.external).toEqual(['livekit-client'])
  for (const { path, contents } of bundle.modules) {
    expect(contents.match(/\b(?:from|import|require)\s*\(?\s*["']node:[^"']*["']/g), path).toBeNull()
  }
})

test('large modules are loaded on first use', () => {
  const sizeOf = (modules: Bundle['modules']) => modules.reduce((sum, { contents }) => sum + contents.length, 0)
  const eager = bundle.modules.filter(({ path }) => bundle.eager.includes(path))

  expect(sizeOf(eager)).toBeLessThan(sizeOf(bundle.modules) / 2)
})

test('setup always requires the token, and is impossible without one', async () => {
  const body = JSON.stringify({ username: 'ada', password: 'correct horse battery' })
  const setUp = async (running: Miniflare, headers: Record<string, string>) => {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
    return (await running.dispatchFetch('http://localhost/api/setup/admin', init)).status
  }
  const closed = workerd({ SERVICE_SETUP_TOKEN: '' })
  const open = workerd()

  expect(await setUp(closed, {})).toBe(401)
  expect(await setUp(closed, { 'x-setup-token': '' })).toBe(401)
  expect(await setUp(open, { 'x-setup-token': 'wrong' })).toBe(401)
  expect(await setUp(open, { 'x-setup-token': 'let me in' })).toBe(201)
  await closed.dispose()
  await open.dispose()
})

test('pages of other origins may call it only if they are listed', async () => {
  const allowed = async (running: Miniflare) => {
    const response = await running.dispatchFetch('http://localhost/health', {
      headers: { origin: 'http://localhost:5173' },
    })
    return response.headers.get('access-control-allow-origin')
  }
  const closed = workerd()
  const open = workerd({ SERVICE_CORS_ORIGINS: 'http://localhost:5173' })

  expect(await allowed(closed)).toBeNull()
  expect(await allowed(open)).toBe('http://localhost:5173')
  await closed.dispose()
  await open.dispose()
})

test('without a master key it does not start and reports it', async () => {
  const running = workerd({ SERVICE_SECRET_KEY: '' })
  const response = await running.dispatchFetch('http://localhost/health')

  expect([response.status, await response.json()]).toMatchObject([503, { error: 'unavailable', status: 503 }])
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  await running.dispose()
  expect(log.join()).toContain('SERVICE_SECRET_KEY must be bound to the Worker')
})
