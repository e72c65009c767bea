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
  variables: Record<string, string> = { DISPLAY: ':7' },
) {
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(folder, 'bin', name), 0o755)
  }
  vi.resetModules()
  for (const [name, value] of Object.entries({ WAYLAND_DISPLAY: '', DISPLAY: '', ...variables }))
    vi.stubEnv(name, value)
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
  await expect(actionsOn('linux', {}, { folder: join(folder, 'real'), private_folder })).rejects.toThrow(/private/)
})

const desktop = {
  'notify-send': ':',
  'xdg-open': ':',
  xclip: ':',
  'wl-copy': ':',
  'wl-paste': 'printf from-wayland',
  scrot: 'for last; do :; done; printf x11 > "$last"',
  grim: 'for last; do :; done; printf wayland > "$last"',
}
const shownOn = ['notify', 'open_url', 'clipboard.read', 'clipboard.write', 'screenshot']

test('without a display, what needs one is not offered, whatever is installed', async () => {
  const offered = async (variables: Record<string, string>) =>
    Object.keys(await actionsOn('linux', desktop, {}, variables)).filter((name) => shownOn.includes(name))
  expect(await offered({})).toEqual([])
  expect(await offered({ DISPLAY: ':7' })).toEqual(shownOn)
})

test('on Wayland, its own programs are used', async () => {
  const actions = await actionsOn('linux', desktop, {}, { DISPLAY: ':7', WAYLAND_DISPLAY: 'wayland-0' })
  expect(await actions['clipboard.read']?.({}, signal)).toEqual({ text: 'from-wayland' })
  expect(await actions.screenshot?.({}, signal)).toEqual({
    mime_type: 'image/jpeg',
    base64: Buffer.from('wayland').toString('base64'),
  })
})

test('while a picture is taken, no other user of the machine can read it', async () => {
  const mode = join(folder, 'mode')
  const scrot = `for last; do :; done; stat -c %a "$(dirname "$last")" > ${mode}; printf x > "$last"`
  const actions = await actionsOn('linux', { scrot })
  await actions.screenshot?.({}, signal)
  expect(readFileSync(mode, 'utf8').trim()).toBe('700')
})

test('a Mac takes a photo and records sound, each in a file that does not stay', async () => {
  const write = (text: string, at: string) => `printf ${text} > ${at}; echo ${at} >> ${join(folder, 'files')}`
  const actions = await actionsOn('darwin', {
    imagesnap: write('photo', '"$4"'),
    sips: `printf small > "$3"`,
    rec: `printf '%s ' "$@" > ${join(folder, 'called')}; ${write('sound', '"$8"')}`,
  })
  expect(Object.keys(actions)).toEqual(['camera', 'microphone', 'health'])
  expect(await actions.camera?.({}, signal)).toEqual({
    mime_type: 'image/jpeg',
    base64: Buffer.from('small').toString('base64'),
  })
  expect(await actions.microphone?.({ seconds: 3 }, signal)).toEqual({
    mime_type: 'audio/wav',
    base64: Buffer.from('sound').toString('base64'),
  })
  expect(readFileSync(join(folder, 'called'), 'utf8')).toContain('trim 0 3')
  const files = readFileSync(join(folder, 'files'), 'utf8').trim().split('\n')
  expect(files.map((file) => existsSync(file))).toEqual([false, false])
})

test('a program that fails is an error that a person can read, and leaves no file', async () => {
  const actions = await actionsOn('darwin', { imagesnap: `echo 'No camera found' >&2; exit 1`, sips: ':' })
  await expect(actions.camera?.({}, signal)).rejects.toThrow('No camera found')
})

test.each(['', '.', './', '/'])('"%s" is the shared folder, and ./tea.txt a file in it', async (path) => {
  mkdirSync(join(folder, 'real'))
  writeFileSync(join(folder, 'real', 'tea.txt'), 'tea')
  const actions = await actionsOn('linux', {}, { folder: join(folder, 'real') })
  expect(await actions['files.list']?.({ path }, signal)).toMatchObject({
    files: [expect.objectContaining({ path: 'tea.txt' })],
  })
  expect(await actions['files.pull']?.({ path: `./tea.txt`, offset: 0 }, signal)).toMatchObject({
    size_bytes: 3,
  })
  await expect(actions['files.list']?.({ path: '..' }, signal)).rejects.toThrow('outside the shared folder')
})
