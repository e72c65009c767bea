import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, remove, residentMb, run as runProcess, startDaemonProcess } from './processes.ts'
import { percentile, type Row } from './table.ts'

const rounds = 7
const settle = 5_000

const bare = `require('node:http').createServer((_, r) => r.end('ok')).listen(+process.argv[1], '127.0.0.1')`

async function bareStart(): Promise<{ ready_ms: number; mb: number }> {
  const port = await freePort()
  const options = { url: `http://127.0.0.1:${port}`, ready: '/', folder: '', env: process.env }
  const server = await runProcess(['-e', bare, String(port)], options)
  const mb = residentMb(server.process)
  await server.end()
  return { ready_ms: server.ready_ms, mb }
}

/** Starts again and again on one data folder, as a machine that boots does; the first start is not counted. */
export async function run(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'hearthd-bench-'))
  const first = await startDaemonProcess(folder)
  await first.end()
  const starts: number[] = []
  const bares: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const daemon = await startDaemonProcess(folder)
    starts.push(daemon.ready_ms)
    await daemon.end()
    bares.push((await bareStart()).ready_ms)
  }
  const idle = await startDaemonProcess(folder)
  await new Promise((resolve) => setTimeout(resolve, settle))
  const mb = residentMb(idle.process)
  await idle.end()
  remove(folder)
  const baseline = await bareStart()
  return [
    { what: 'start to ready, first time', value: first.ready_ms, unit: 'ms' },
    {
      what: 'start to ready, median',
      value: percentile(starts, 0.5),
      unit: 'ms',
      baseline: percentile(bares, 0.5),
    },
    { what: 'start to ready, slowest', value: Math.max(...starts), unit: 'ms', baseline: Math.max(...bares) },
    { what: 'resident when idle', value: mb, unit: 'MB', baseline: baseline.mb },
  ]
}
