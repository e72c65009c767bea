import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { dataFolder, eventually, type RunningDaemon, setUpProcess, startProcess } from '../support/daemon-process.ts'

const mounted: string[] = []
afterAll(() => {
  for (const folder of mounted) execFileSync('umount', ['-l', folder])
})

/** A disk of its own, as small as it says; null where this user may not mount one. */
function smallDisk(megabytes: number): string | null {
  const folder = join(dataFolder(), 'disk')
  mkdirSync(folder)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder], {
      stdio: 'ignore',
    })
  } catch {
    return null
  }
  mounted.push(folder)
  return folder
}

const disk = smallDisk(48)

interface Scene {
  daemon: RunningDaemon
  fill(): void
  free(): void
}

/** The disk itself is full. */
async function fullDisk(folder: string): Promise<Scene> {
  const daemon = await startProcess(folder)
  const ballast = join(folder, 'ballast')
  const fill = () => {
    const { bavail, bsize } = statfsSync(folder)
    try {
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize)))
    } catch (thrown) {
      // The daemon has taken some of the room in this very moment: then the disk is full too.
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown
    }
  }
  return { daemon, fill, free: () => rmSync(ballast) }
}

/** No file may grow: what a quota does. The signal that comes with it is ignored, as services have it. */
async function fullQuota(): Promise<Scene> {
  const daemon = await startProcess(dataFolder(), { prefix: ['sh', '-c', `trap '' XFSZ; exec "$@"`, 'sh'] })
  const limit = (bytes: string) => execFileSync('prlimit', ['--pid', String(daemon.pid), `--fsize=${bytes}`])
  return { daemon, fill: () => limit('1:unlimited'), free: () => limit('unlimited:unlimited') }
}

const scenes: [string, () => Promise<Scene>][] = [
  ...(disk ? [['disk', () => fullDisk(disk)] as [string, () => Promise<Scene>]] : []),
  ...(process.platform === 'linux' ? [['quota', fullQuota] as [string, () => Promise<Scene>]] : []),
]

describe.each(scenes)('a full %s', (_, open) => {
  test('refuses writes with a 503, keeps reading, reports it in ready, and recovers automatically', async () => {
    const { daemon, fill, free } = await open()
    const { headers } = await setUpProcess(daemon)
    const episodes = `${daemon.url}/api/memory/episodes`
    const write = (content: string) => fetch(episodes, { method: 'POST', headers, body: JSON.stringify({ content }) })
    const total = async () => ((await (await fetch(episodes, { headers })).json()) as { total: number }).total
    expect((await write('before')).status).toBe(201)

    fill()
    let stored = 1
    const refused = await eventually(async () => {
      const response = await write('x'.repeat(30_000))
      if (response.status === 201) stored += 1
      return response.status === 201 ? null : response
    })
    expect(refused.status).toBe(503)
    expect(await refused.json()).toMatchObject({
      error: 'unavailable',
      message: expect.stringContaining('disk space'),
      status: 503,
    })
    expect(await total()).toBe(stored)
    const ready = await fetch(`${daemon.url}/health/ready`)
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ error: 'unavailable', failing: ['db'], status: 503 })
    expect((await fetch(`${daemon.url}/health/live`)).status).toBe(200)

    free()
    expect((await write('after')).status).toBe(201)
    expect((await fetch(`${daemon.url}/health/ready`)).status).toBe(200)
    expect(await total()).toBe(stored + 1)
    daemon.signal('SIGTERM')
    expect(await daemon.ended).toEqual({ code: 0, signal: null })
  }, 60_000)
})
