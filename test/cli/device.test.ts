import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder, eventually, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

const entry = new URL('../../adapters/node/cli/hearthd.js', import.meta.url).pathname

/** A folder with programs that a desktop has, which write down how they were called. */
function desktopPrograms(folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const programs = {
    'notify-send': `printf '%s\\n' "$@" > ${join(folder, 'notified')}`,
    'xdg-open': `printf '%s' "$1" > ${join(folder, 'opened')}`,
    xclip: `if [ "$3" = "-o" ]; then cat ${join(folder, 'clip')}; else cat > ${join(folder, 'clip')}; fi`,
    scrot: `for last; do :; done; printf picture > "$last"`,
    greet: `printf 'hello %s' "$1"`,
  }
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

test.runIf(process.platform === 'linux')(
  'a computer is paired, runs commands and reconnects, all from the command line',
  async () => {
    const house = dataFolder()
    const folder = dataFolder()
    const daemon = await startProcess(house)
    const { key, headers } = await setUpProcess(daemon)
    const run = (...words: string[]) => hearthd(house, [...words], { env: { SERVICE_API_KEY: key } })
    const { code, link } = JSON.parse((await run('device', 'pair', '--json')).stdout) as {
      code: string
      link: string
    }
    expect(link).toMatch(new RegExp(`^http://.*/device#${code}$`))
    const shown = (await run('device', 'pair', '--url', 'https://hearth.lan/')).stdout
    expect(shown).toContain('▄')
    expect(shown).toMatch(/open https:\/\/hearth\.lan\/device#\d{6}\n/)

    const shared = join(folder, 'shared')
    mkdirSync(shared)
    writeFileSync(join(folder, 'secret'), 'secret')
    symlinkSync(join(folder, 'secret'), join(shared, 'link'))
    const env = {
      ...process.env,
      SERVICE_DATA_DIR: folder,
      PATH: `${desktopPrograms(folder)}:${process.env.PATH}`,
      WAYLAND_DISPLAY: '',
      DISPLAY: ':7',
    }
    const words = ['--folder', shared, '--allow', 'greet', '--json']
    const connect = (...more: string[]) => {
      const child = spawn(process.execPath, [entry, 'device', 'connect', ...more, ...words], { env })
      const lines: { event: string; waiting: string[] }[] = []
      child.stdout.on('data', (text) => {
        for (const line of String(text).trim().split('\n')) lines.push(JSON.parse(line))
      })
      let stderr = ''
      child.stderr.on('data', (text) => (stderr += text))
      return { child, lines, ended: once(child, 'close'), said: () => stderr }
    }
    const wrong = connect('--url', daemon.url, '--code', code === '111111' ? '222222' : '111111')
    await wrong.ended
    expect(wrong.said()).toContain('This pairing code is wrong')

    const elsewhere = createServer((_, response) => void response.end('<html>')).listen(0, '127.0.0.1')
    await once(elsewhere, 'listening')
    const { port } = elsewhere.address() as AddressInfo
    const lost = connect('--url', `http://127.0.0.1:${port}`, '--code', code)
    await lost.ended
    elsewhere.close()
    expect(lost.said()).toContain(`There is no hearthd at http://127.0.0.1:${port}`)

    const laptop = connect('--url', daemon.url, '--code', code, '--name', 'Laptop')
    const [first] = await eventually(() => laptop.lines.length > 0 && laptop.lines)
    expect(first).toMatchObject({ event: 'connected', name: 'Laptop' })
    expect(first?.waiting).toEqual(
      expect.arrayContaining(['open_url', 'clipboard.read', 'screenshot', 'files.push', 'system.run']),
    )
    expect(statSync(join(folder, 'device.json')).mode & 0o777).toBe(0o600)
    expect((await run('device', 'ls')).stdout).toMatch(/Laptop +online .*linux/)

    const call = async (path: string, body?: object) => {
      const init = body ? { method: 'POST', body: JSON.stringify(body) } : {}
      return (await fetch(`${daemon.url}${path}`, { headers, ...init })).json()
    }
    const { devices } = await call('/api/devices')
    const path = `/api/devices/${devices[0].id}/commands`
    const command = async (name: string, params: object) => {
      const { id, message } = await call(path, { command: name, params })
      if (!id) return { status: 'refused', error: message, output: null }
      return eventually(async () => {
        const now = await call(`${path}/${id}`)
        return now.ended_at && now
      })
    }
    expect((await command('open_url', { url: 'https://example.com' })).error).toContain('must be approved')
    expect((await run('device', 'allow', 'laptop', 'all')).stdout).toContain('system.run')
    await command('notify', { title: '-t', body: '$(id)' })
    expect(readFileSync(join(folder, 'notified'), 'utf8')).toBe('--app-name=hearthd\n--\n-t\n$(id)\n')
    await command('open_url', { url: 'https://example.com/a b' })
    expect(readFileSync(join(folder, 'opened'), 'utf8')).toBe('https://example.com/a%20b')
    await command('clipboard.write', { text: 'tea; rm -rf /' })
    expect((await command('clipboard.read', {})).output).toEqual({ text: 'tea; rm -rf /' })
    // As JSON it has 6 bytes each.
    writeFileSync(join(folder, 'clip'), '\0'.repeat(400_000))
    const long = await command('clipboard.read', {})
    expect([long.status, long.error]).toEqual([
      'failed',
      expect.stringMatching(/^The output has 24\d+ bytes; the limit/),
    ])
    const { output: picture } = await command('screenshot', {})
    expect(Buffer.from(picture.base64, 'base64').toString()).toBe('picture')

    await command('files.push', { path: 'notes/tea.txt', text: 'green' })
    await command('files.push', { path: 'notes/tea.txt', text: ' tea', append: true })
    expect(readFileSync(join(shared, 'notes', 'tea.txt'), 'utf8')).toBe('green tea')
    const { output: pulled } = await command('files.pull', { path: 'notes/tea.txt' })
    expect([Buffer.from(pulled.base64, 'base64').toString(), pulled.next_offset]).toEqual(['green tea', null])
    expect((await command('files.list', { path: 'notes' })).output.files).toMatchObject([{ path: 'notes/tea.txt' }])
    for (const outside of ['../secret', '/etc/passwd', 'link', 'notes/../../secret', 'a\\..\\b'])
      expect((await command('files.pull', { path: outside })).status).toBe('failed')
    expect((await command('files.push', { path: '../planted', text: 'x' })).status).toBe('failed')
    expect(existsSync(join(folder, 'planted'))).toBe(false)

    expect((await command('system.run', { command: 'greet', args: ['$HOME'] })).output).toMatchObject({
      stdout: 'hello $HOME',
      exit_code: 0,
    })
    expect((await command('system.run', { command: 'sh', args: ['-c', 'id'] })).error).toContain('not on the list')
    const ran = await run('device', 'command', 'laptop', 'health')
    expect(JSON.parse(ran.stdout).memory_pct).toBeGreaterThan(0)

    // The client is restarted with what it has stored; what was queued meanwhile is delivered once.
    laptop.child.kill('SIGINT')
    expect((await laptop.ended)[0]).toBe(0)
    await eventually(async () => (await call('/api/devices')).devices[0].status === 'offline')
    expect(
      (await run('device', 'command', 'laptop', 'notify', '--queue', '--params', '{"title":"Later"}')).stdout,
    ).toContain('Queued: cmd_')
    const again = connect()
    await eventually(() => again.lines.some(({ event }) => event === 'command'))
    expect(readFileSync(join(folder, 'notified'), 'utf8')).toContain('Later')
    const { code: other } = await call('/api/devices/pairing-codes', {})
    const second = { code: other, name: 'Laptop', platform: 'linux', capabilities: [] }
    const { device_id } = await call('/api/auth/device/pair', second)
    expect((await run('device', 'rm', 'laptop')).stderr).toContain('More than one device is named laptop; use the id')
    expect((await run('device', 'rm', device_id)).stdout).toBe(`Deleted ${device_id}\n`)
    expect((await run('device', 'rm', 'laptop')).stdout).toMatch(/^Deleted dev_/)
    expect((await again.ended)[0]).toBe(1)
    expect(again.said()).toContain('pair it again')
  },
)
