import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { dataFolder, hearthd, type RunningDaemon, startProcess } from '../support/daemon-process.ts'

let daemon: RunningDaemon
let data: string

beforeAll(async () => {
  data = dataFolder()
  daemon = await startProcess(data)
})

const run = (...words: string[]) => hearthd(data, words)
const json = (text: string) => JSON.parse(text.trim()) as Record<string, unknown>
const ask = (path: string, key: string) => fetch(daemon.url + path, { headers: { authorization: `Bearer ${key}` } })

describe('from a fresh folder', () => {
  test('chat requires setup first', async () => {
    expect(await run('chat', 'hello')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('hearthd setup'),
    })
  })

  test('setup reads the password from standard input and shows the first key', async () => {
    const outcome = await hearthd(data, ['setup', '--username', 'ada', '--json'], {
      input: 'correct horse battery\n',
    })
    const { user, api_key } = json(outcome.stdout) as { user: { username: string }; api_key: { key: string } }

    expect(user.username).toBe('ada')
    expect((await ask('/api/auth/keys', api_key.key)).status).toBe(200)
  })

  test('a second setup is refused, and so is one without a password', async () => {
    expect(await hearthd(data, ['setup', '--username', 'eve'], { input: 'another long password\n' })).toMatchObject({
      code: 1,
      stderr: 'hearthd: Setup has already been completed\n',
    })
  })

  test('key create creates a key with the given name and scopes, by default read and write', async () => {
    const { name, key } = json((await run('key', 'create', 'My laptop', '--json')).stdout)
    expect([name, key]).toEqual(['My laptop', expect.stringMatching(/^svc_[0-9a-f]{64}$/)])
    const validated = await fetch(`${daemon.url}/api/auth/validate`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    })
    expect(await validated.json()).toMatchObject({ scopes: ['read', 'write'] })

    const reader = (await run('key', 'create', '--name', 'reader', '--scopes', 'read')).stdout.trim()
    expect((await ask('/api/agents', reader)).status).toBe(200)
    expect((await ask('/api/auth/keys', reader)).status).toBe(403)
    expect(await run('key', 'create', '--scopes', 'everything')).toMatchObject({ code: 1 })
  })

  test('chat streams the answer, and closes the session it opened', async () => {
    const { stdout: key } = await run('key', 'create', '--scopes', 'admin')
    const before = await audit(key.trim())
    const outcome = await run('chat', 'what is 2 + 2?')

    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('4') })
    expect((await audit(key.trim())) - before).toBe(1)
  })

  const audit = async (key: string) => ((await (await ask('/api/auth/audit', key)).json()) as { total: number }).total

  test('chat --json prints every event', async () => {
    const { stdout } = await run('chat', '--json', 'what is 2 + 2?')
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { event: string }).event)

    expect(events).toContain('token')
    expect(events.at(-1)).toBe('done')
  })

  test('a wrong key is refused, as JSON with --json', async () => {
    const words = ['chat', 'hello', '--key', `svc_${'0'.repeat(64)}`]
    expect(await run(...words)).toMatchObject({ code: 1, stderr: 'hearthd: Invalid or revoked API key\n' })
    const { code, stderr } = await run(...words, '--json')
    expect(code).toBe(1)
    expect(json(stderr)).toEqual({ error: 'unauthorized', message: 'Invalid or revoked API key' })
  })

  test("logs shows the daemon's log, without secrets", async () => {
    const { stdout } = await run('logs', '--json', '-n', '1000')

    expect(stdout).toContain('hearthd is listening')
    expect(stdout).not.toMatch(/svc_[0-9a-f]{8}|sess_[0-9a-f]{8}|correct horse/)
  })

  test('logs and settings history show the time in the zone of the profile, and no colours in a pipe', async () => {
    const line = json((await run('logs', '--json', '-n', '1')).stdout) as { at: string; message: string }
    const at = new Date(line.at)
    const { key } = json((await run('key', 'create', 'clock', '--json')).stdout)
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ timezone: 'Pacific/Kiritimati' })
    await fetch(`${daemon.url}/api/settings/profile`, { method: 'PUT', headers, body })
    const timeZone = 'Pacific/Kiritimati'

    const shown = (await run('logs', '-n', '1000')).stdout
    expect(shown).toContain(at.toLocaleTimeString('en-GB', { timeZone }))
    expect(shown).not.toContain('\u001b')
    const day = new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date())
    expect((await run('settings', 'history')).stdout).toContain(`  ${day} `)
  })

  test('doctor finds no problem, or a folder that others can read', async () => {
    const { code, stdout } = await run('doctor', '--json')

    expect({
      code,
      failed: (json(stdout).findings as { state: string }[]).filter(({ state }) => state === 'failed'),
    }).toEqual({ code: 0, failed: [] })
  })

  test('backup while the daemon runs, restore after it has stopped', async () => {
    const file = join(dataFolder(), 'copy.db')
    expect(json((await run('backup', file, '--keys', '--json')).stdout)).toMatchObject({
      file,
      key_file: `${file}.master.key`,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(`${file}.master.key`).mode & 0o777).toBe(0o600)
    expect(await run('backup', '/proc/none/copy.db')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^hearthd: Cannot write .*\n$/),
    })
    expect(await run('backup', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('already exists'),
    })
    expect(await run('restore', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Another hearthd is using'),
    })

    const late = (await run('key', 'create', '--name', 'late')).stdout.trim()
    await run('stop')
    const { kept } = json((await run('restore', file, '--json')).stdout) as { kept: string }
    expect(existsSync(kept)).toBe(true)
    daemon = await startProcess(data)
    expect((await ask('/api/agents', late)).status).toBe(401)
  })

  test('restore refuses a file that is not a backup and changes nothing', async () => {
    const file = join(dataFolder(), 'letter.txt')
    writeFileSync(file, 'dear reader')
    await run('stop')
    const before = readFileSync(join(data, 'hearthd.db'))

    expect(await run('restore', file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot be restored'),
    })
    expect(readFileSync(join(data, 'hearthd.db')).equals(before)).toBe(true)
  })
})
