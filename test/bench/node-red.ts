import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort, peakMb, remove, run } from './processes.ts'

export interface Figures {
  /** Seconds for the executions of the chain, and for the loop. */
  chain: number
  loop: number
  /** Peak memory in MB: before, after the chain, after the loop. */
  memory: readonly [number, number, number]
}

interface Load {
  executions: number
  /** Nodes of the chain; the first is its start. */
  length: number
  items: number
}

/**
 * The same chain and loop in Node-RED, which is installed from the registry into a temporary folder. Its messages live
 * in memory only: it stores nothing between nodes. Null, with the reason on the console, if it cannot be installed.
 */
export async function measureNodeRed({ executions, length, items }: Load): Promise<Figures | null> {
  const folder = mkdtempSync(join(tmpdir(), 'node-red-bench-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, 'node-red@4']
    await promisify(execFile)('npm', install, { cwd: folder, timeout: 300_000 })
  } catch (thrown) {
    console.log(`  Node-RED cannot be installed: ${String(thrown).slice(0, 300)}`)
    remove(folder)
    return null
  }
  const port = await freePort()
  const data = join(folder, 'data')
  mkdirSync(data)
  writeFileSync(join(data, 'flows.json'), JSON.stringify(flows(length)))
  writeFileSync(join(data, 'settings.js'), `module.exports = ${JSON.stringify(settings(port))}`)
  const url = `http://127.0.0.1:${port}`
  const program = join(folder, 'node_modules/node-red/red.js')
  const args = [program, '--userDir', data, '--settings', join(data, 'settings.js')]
  const running = await run(args, { url, ready: '/ready', folder, env: process.env })
  const send = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`Node-RED answered ${answer.status} at ${path}`)
    return answer.json()
  }
  const timed = async (count: number, path: string, body: unknown) => {
    const begun = performance.now()
    await Promise.all(Array.from({ length: count }, () => send(path, body)))
    return (performance.now() - begun) / 1000
  }
  await timed(5, '/chain', { n: 0 })
  await sleep(500)
  const before = peakMb(running.process)
  const chain = await timed(executions, '/chain', { n: 0 })
  const together = peakMb(running.process)
  const numbers = Array.from({ length: items }, (_, index) => index)
  const loop = await timed(1, '/loop', numbers)
  const memory = [before, together, peakMb(running.process)] as const
  await running.end()
  remove(folder)
  return { chain, loop, memory }
}

const settings = (uiPort: number) => ({
  ...{ uiPort, uiHost: '127.0.0.1', httpAdminRoot: false, flowFile: 'flows.json', credentialSecret: false },
  logging: { console: { level: 'error' } },
  telemetry: { enabled: false, updateNotification: false },
})

/** A chain of nodes that each evaluate one JSONata expression, and a list that is split, doubled and joined. */
function flows(length: number): object[] {
  const on = (id: string, type: string, next: string, more: object = {}) => ({
    ...{ id, type, z: 'bench', x: 1, y: 1, name: '', wires: next === '' ? [] : [[next]] },
    ...more,
  })
  const evaluates = (id: string, field: string, to: string, next: string) =>
    on(id, 'change', next, { rules: [{ t: 'set', p: field, pt: 'msg', to, tot: 'jsonata' }] })
  const chain = Array.from({ length: length - 1 }, (_, index) =>
    evaluates(`n${index + 1}`, 'payload.n', 'payload.n + 1', index === length - 2 ? 'answer' : `n${index + 2}`),
  )
  return [
    { id: 'bench', type: 'tab', label: 'bench' },
    on('ready', 'http in', 'answer', { url: '/ready', method: 'get' }),
    on('chain', 'http in', 'n1', { url: '/chain', method: 'post' }),
    ...chain,
    on('loop', 'http in', 'split', { url: '/loop', method: 'post' }),
    on('split', 'split', 'double', { arraySplt: 1, arraySpltType: 'len', splt: '\\n', spltType: 'str' }),
    evaluates('double', 'payload', 'payload * 2', 'join'),
    on('join', 'join', 'answer', { mode: 'auto' }),
    on('answer', 'http response', '', { statusCode: '200', headers: {} }),
  ]
}
