import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ActionOptions } from '../../../adapters/node/device/actions.ts'

const { platform } = process
const { PATH } = process.env
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hearthd-device-'))
  mkdirSync(join(folder, 'bin'))
})
afterEach(() => {
  Object.defineProperty(process, 'platform', { value: platform })
  process.env.PATH = PATH
  vi.unstubAllEnvs()
  const holder = join(folder, 'holder')
  if (existsSync(holder)) process.kill(Number(readFileSync(holder, 'utf8')))
  rmSync(folder, { recursive: true, force: true })
})

/** What a machine of this kind can do, with only these programs. */
async function actionsOn(
  system: string,
  programs: Record<string, string>,
  options: Partial<ActionOptions> = {},
) {
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  vi.resetModules()
  vi.stubEnv('WAYLAND_DISPLAY', '')
  Object.defineProperty(process, 'platform', { value: system })
  process.env.PATH = `${join(folder, 'bin')}:${PATH}`
  const { actionsOf } = await import('../../../adapters/node/device/actions.ts')
  return actionsOf({
    allow: [],
    private_folder: join(folder, 'private'),
    ...options,
  })
}

const { signal } = new AbortController()

test('the title of a notification is never an option of the program that shows it', async () => {
  const { notify } = await actionsOn('darwin', {
    osascript: `printf '%s\\n' "$@" > ${join(folder, 'called')}`,
  })
  await notify?.({ title: '-e', body: 'property x : do shell script "id"' }, signal)
  const called = readFileSync(join(folder, 'called'), 'utf8').trim().split('\n')
  expect(called.slice(-3)).toEqual(['--', '-e', 'property x : do shell script "id"'])
})

test('helper programs and allowed programs get the environment of the desktop, without credentials', async () => {
  vi.stubEnv('SERVICE_API_KEY', 'svc_1')
  vi.stubEnv('OPENAI_API_KEY', 'sk-1')
  vi.stubEnv('DISPLAY', ':7')
  vi.stubEnv('LC_TIME', 'C')
  const dump = (name: string) => `env > ${join(folder, name)}`
  const actions = await actionsOn(
    'linux',
    { 'notify-send': dump('helper'), xclip: dump('keeper'), tool: dump('allowed') },
    { allow: ['tool'] },
  )
  await actions.notify?.({ title: 'Tea', body: '' }, signal)
  await actions['clipboard.write']?.({ text: 'tea' }, signal)
  await actions['system.run']?.({ command: 'tool', args: [] }, signal)
  for (const name of ['helper', 'keeper', 'allowed']) {
    const variables = readFileSync(join(folder, name), 'utf8')
    expect(variables).not.toMatch(/API_KEY/)
    expect(variables).toMatch(/^DISPLAY=:7$/m)
    expect(variables).toMatch(/^LC_TIME=C$/m)
    expect(variables).toMatch(/^PATH=/m)
  }
})

test('writing the clipboard does not wait for the program that keeps it', async () => {
  const actions = await actionsOn('linux', {
    xclip: `cat > ${join(folder, 'clip')}; sleep 60 & echo $! > ${join(folder, 'holder')}`,
  })
  await actions['clipboard.write']?.({ text: 'tea' }, signal)
  expect(readFileSync(join(folder, 'clip'), 'utf8')).toBe('tea')
})

test('a program that cannot write the clipboard is a failure', async () => {
  const actions = await actionsOn('linux', { xclip: 'exit 3' })
  await expect(actions['clipboard.write']?.({ text: 'tea' }, signal)).rejects.toThrow('xclip')
})

test('a folder that contains the own files of the client is not shared, also when a link leads there', async () => {
  mkdirSync(join(folder, 'real'))
  symlinkSync(join(folder, 'real'), join(folder, 'link'))
  const private_folder = join(folder, 'link', 'data', 'device')
  await expect(actionsOn('linux', {}, { folder: join(folder, 'real'), private_folder })).rejects.toThrow(
    /private/,
  )
})
