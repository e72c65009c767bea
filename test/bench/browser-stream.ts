import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { browserFolder } from '../../adapters/node/lazy.ts'
import { BrowserDaemon } from './browser-daemon.ts'
import { BrowserProcesses } from './browser-processes.ts'
import { remove, startDaemonProcess } from './processes.ts'
import type { Row } from './table.ts'

const watchers = 3
const seconds = 10
/** Milliseconds for a page to come to rest before it is measured. */
const rest = 2_000

const square = 'div{width:100px;height:100px;background:red;position:absolute;animation:a 2s infinite alternate}'
const pages: Record<string, string> = {
  still: `<h1>Still</h1>${'<p>text</p>'.repeat(50)}`,
  'animated by style': `<style>@keyframes a{to{transform:translateX(600px) rotate(360deg)}}${square}</style><div></div>`,
  'drawn by script': `<canvas id="c" width="1200" height="700"></canvas><script>
    const pen = c.getContext('2d')
    const draw = (at) => { pen.fillStyle = 'hsl(' + (at / 9 % 360) + ' 80% 50%)'; pen.fillRect(at / 2 % 1200, at / 5 % 700, 90, 90); requestAnimationFrame(draw) }
    draw(0)</script>`,
}

/** What it costs to watch a page live, daemon and Chromium together, beside the same page that nobody watches. */
export async function run(): Promise<Row[]> {
  const names = Object.keys(pages)
  const server = createServer(({ url = '/' }, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(pages[names[Number(url.slice(1))] ?? ''] ?? '')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const daemon = await BrowserDaemon.setUp(await startDaemonProcess())
  const rows: Row[] = []
  try {
    for (const [place, name] of names.entries()) {
      await daemon.goto(`http://127.0.0.1:${port}/${place}`)
      rows.push(...(await watchRows(daemon, name)))
    }
  } finally {
    await daemon.running.end()
    remove(daemon.running.folder)
    server.close()
  }
  return rows
}

async function watchRows(daemon: BrowserDaemon, name: string): Promise<Row[]> {
  const alone = await coreShare(daemon)
  let frames = 0
  const leaving = Array.from({ length: watchers }, () => daemon.watch(() => (frames += 1)))
  await pause(rest)
  frames = 0
  const watched = await coreShare(daemon)
  const rate = frames / watchers / (seconds + rest / 1_000)
  for (const leave of leaving) leave()
  return [
    {
      what: `${watchers} watchers, page ${name}`,
      value: watched,
      unit: '% of a core',
      note: `alone ${alone.toFixed(1)}`,
    },
    { what: 'frames to each', value: rate, unit: '/s' },
  ]
}

async function coreShare(daemon: BrowserDaemon): Promise<number> {
  const processes = new BrowserProcesses(browserFolder(daemon.running.folder))
  const pid = daemon.running.process.pid ?? 0
  await pause(rest)
  const [begun, before] = [performance.now(), processes.cpu(pid)]
  await pause(seconds * 1_000)
  return ((processes.cpu(pid) - before) / ((performance.now() - begun) / 1_000)) * 100
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
