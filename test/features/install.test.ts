import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { InstallJob, InstallPlan, InstallStatus } from '../../runtime/features/schema.ts'
import {
  dataFolder,
  eventually,
  hearthd,
  type RunningDaemon,
  setUpProcess,
  startProcess,
} from '../support/daemon-process.ts'
import { startRegistry } from '../support/registry.ts'

/** The registry is real, and the machine may be busy. */
vi.setConfig({ testTimeout: 300_000 })

const pack = '/api/features/packs/memory-visualization'

/** npm keeps what it has fetched, so each test has a cache of its own. */
const npmAt = (url: string) => ({ npm_config_registry: url, npm_config_cache: dataFolder() })

const leftovers = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('packs'))

function client({ url }: RunningDaemon, headers: Record<string, string>) {
  const send = (method: string, path: string) => fetch(url + path, { method, headers })
  return {
    send,
    status: async () => (await (await send('GET', `${pack}/install`)).json()) as InstallStatus,
    start: async () => {
      const response = await send('POST', `${pack}/install`)
      return { status: response.status, body: (await response.json()) as { job: InstallJob } }
    },
  }
}

test('a pack is installed while the daemon runs, one at a time, and used at once', async () => {
  const registry = await startRegistry()
  const daemon = await startProcess(dataFolder(), { env: npmAt(registry.url) })
  const { headers } = await setUpProcess(daemon)
  const { send, start, status } = client(daemon, headers)

  expect(await status()).toMatchObject({ job: null, pack: { installed: false, complete: false } })
  const first = await start()
  expect(first).toMatchObject({
    status: 202,
    body: { job: { status: 'running', pack_id: 'memory-visualization' } },
  })
  await eventually(() => registry.held() > 0)
  const second = await start()
  expect(second).toMatchObject({ status: 409, body: { job: { id: first.body.job.id } } })
  expect(second.body.job.progress).toMatchObject({ phase: 'downloading', done: 0, total: expect.any(Number) })
  const other = await send('POST', '/api/features/packs/browser-chromium/install')
  expect(other.status).toBe(409)
  expect((await status()).pack.installed).toBe(false)

  registry.release()
  const ended = await eventually(async () => {
    const now = await status()
    return now.job?.status !== 'running' && now
  })
  expect(ended.job).toMatchObject({
    status: 'done',
    error: null,
    progress: { phase: 'verifying', done: 2, total: 2 },
    result: {
      changed: true,
      packages: [
        { name: 'umap-js', version: '1.4.0' },
        { name: 'ml-kmeans', version: '7.0.1' },
      ],
    },
  })
  expect(ended.job?.progress.log).toContain('umap-js@1.4.0 can be loaded')
  expect(ended.job?.progress.log.length).toBeLessThanOrEqual(50)
  expect(ended.pack).toMatchObject({ installed: true, complete: true })
  expect(leftovers(daemon.folder)).toEqual(['packs'])

  const { features } = (await (await send('GET', '/api/features')).json()) as { features: object[] }
  expect(features).toContainEqual(expect.objectContaining({ id: 'memory-visualization', status: 'ok', command: null }))
  const plan = (await (await send('GET', `${pack}/plan`)).json()) as InstallPlan
  expect(plan).toMatchObject({ packages: [], total_bytes: 0, skipped: [], blocked_reason: null })
  const asked = registry.held()
  expect((await start()).status).toBe(202)
  const checked = await eventually(async () => {
    const now = await status()
    return now.job?.status !== 'running' && now
  })
  expect(checked.job).toMatchObject({
    status: 'done',
    progress: {
      phase: 'verifying',
      log: expect.arrayContaining(['umap-js@1.4.0 is installed and can be loaded']),
    },
    result: { changed: false },
  })
  expect(registry.held()).toBe(asked)
  const clusters = await (await send('GET', '/api/memory/clusters')).json()
  expect(clusters).toMatchObject({
    visualization: { pack_id: 'memory-visualization', installed: true, complete: true },
  })
  const { entries } = (await (await send('GET', '/api/auth/audit?limit=5')).json()) as { entries: object[] }
  expect(entries).toContainEqual(
    expect.objectContaining({ action: 'feature.install', target: 'memory-visualization', outcome: 'ok' }),
  )
})

test('a daemon killed during an installation leaves everything unchanged', async () => {
  const registry = await startRegistry()
  const folder = dataFolder()
  const daemon = await startProcess(folder, { env: npmAt(registry.url) })
  const { headers } = await setUpProcess(daemon)
  const first = await client(daemon, headers).start()
  await eventually(() => registry.held() > 0)
  const staging = leftovers(folder)
  expect(staging).toEqual([expect.stringMatching(/^packs\.new-/)])
  daemon.signal('SIGKILL')
  await daemon.ended

  registry.release()
  const again = await startProcess(folder)
  const { start, status } = client(again, headers)
  expect(existsSync(join(folder, staging[0] ?? ''))).toBe(false)
  expect(await status()).toMatchObject({
    job: { id: first.body.job.id, status: 'error', error: expect.stringContaining('nothing was changed') },
    pack: { installed: false },
  })
  await eventually(async () => (await hearthd(folder, ['status', '--json'])).stdout.includes('"running":true'))
  expect(leftovers(folder)).toEqual([])
  expect((await start()).status).toBe(202)
  await eventually(async () => (await status()).job?.status === 'done')
})

test('a registry that refuses is reported, and nothing is changed', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder, { env: npmAt('http://127.0.0.1:9/') })
  const { headers } = await setUpProcess(daemon)
  const { send, start, status } = client(daemon, headers)
  const plan = (await (await send('GET', `${pack}/plan`)).json()) as InstallPlan
  expect(plan).toMatchObject({ packages: [], total_bytes: null, manual_command: plan.command })
  expect(plan.blocked_reason).toMatch(/^npm cannot do it: /)
  await start()
  await eventually(async () => (await status()).job?.status === 'error')
  expect(await status()).toMatchObject({
    job: { result: null, error: expect.stringContaining('registry http://127.0.0.1:9 cannot be reached') },
    pack: { installed: false },
  })
  expect(leftovers(folder)).toEqual([])
})
