import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { dataFolder, eventually, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

const entry = new URL('../../adapters/node/cli/hearthd.js', import.meta.url).pathname

test('with HTTPS of its own, the commands work as before, and another computer trusts it by its fingerprint', async () => {
  const house = dataFolder()
  const daemon = await startProcess(house, { env: { SERVICE_TLS: 'auto' } })
  const { key } = await setUpProcess(daemon)
  const run = (...words: string[]) => hearthd(house, words, { env: { SERVICE_API_KEY: key } })
  const { stdout } = await run('status')
  expect(stdout).toMatch(/^status +healthy$/m)
  const authority = /^authority +(\S+)$/m.exec(stdout)?.[1] ?? ''
  expect(authority).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
  expect((await run('open', '--json')).stdout).toContain(`http://127.0.0.1:${daemon.port}/`)
  const pair = await run('device', 'pair')
  expect(pair.stdout).toContain(`--authority ${authority}`)
  const code = /Pairing code: (\d{6})/.exec(pair.stdout)?.[1] ?? ''

  const folder = dataFolder()
  const connect = (...more: string[]) => {
    const words = [entry, 'device', 'connect', '--name', 'Laptop', '--json', ...more]
    const child = spawn(process.execPath, words, { env: { ...process.env, SERVICE_DATA_DIR: folder } })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
    return { child, ended: once(child, 'close'), said: () => said }
  }
  const first = ['--url', `https://127.0.0.1:${daemon.port}`, '--code', code]
  const stranger = connect(...first)
  await stranger.ended
  expect(stranger.said()).toContain('does not trust the certificate')
  const wrong = connect(...first, '--authority', authority.replace(/^../, authority.startsWith('00') ? '11' : '00'))
  await wrong.ended
  expect(wrong.said()).toContain('has another fingerprint')
  const laptop = connect(...first, '--authority', authority.toLowerCase())
  await eventually(() => laptop.said().includes('"connected"'))
  laptop.child.kill('SIGINT')
  expect((await laptop.ended)[0]).toBe(0)
  // It has stored the authority.
  const again = connect()
  await eventually(() => again.said().includes('"connected"'))
  again.child.kill('SIGINT')
  await again.ended
  expect((await run('stop')).stdout).toContain('has stopped')
  expect((await daemon.ended).code).toBe(0)
})
