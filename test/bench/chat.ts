import { startWire, text } from '../fixtures/wire/index.ts'
import { remove, residentMb, setUp, startDaemonProcess } from './processes.ts'
import { percentile, type Row } from './table.ts'

const warmUp = 20
const samples = 100
const atOnce = 100
const words = 400
const manyTurns = 2_000

const answer = Array.from({ length: words }, (_, index) => `word${index} `).join('')

type Ask = () => Promise<{ first_ms: number; tokens: number }>

/** Reads a stream to its end; `first_ms` is when `mark` was first seen. */
async function timed(send: () => Promise<Response>, mark: string) {
  const begun = performance.now()
  const response = await send()
  const decoder = new TextDecoder()
  let first_ms = Number.NaN
  let tokens = 0
  for await (const chunk of response.body ?? []) {
    const seen = decoder.decode(chunk, { stream: true }).split(mark).length - 1
    if (seen > 0 && Number.isNaN(first_ms)) first_ms = performance.now() - begun
    tokens += seen
  }
  return { first_ms, tokens }
}

async function firstTokens(ask: Ask): Promise<number[]> {
  for (let index = 0; index < warmUp; index += 1) await ask()
  const found: number[] = []
  for (let index = 0; index < samples; index += 1) found.push((await ask()).first_ms)
  return found
}

async function throughput(ask: Ask): Promise<number> {
  const begun = performance.now()
  const all = await Promise.all(Array.from({ length: atOnce }, ask))
  const tokens = all.reduce((sum, one) => sum + one.tokens, 0)
  return tokens / ((performance.now() - begun) / 1000)
}

export async function run(): Promise<Row[]> {
  await using wire = await startWire()
  const daemon = await startDaemonProcess()
  const key = await setUp(daemon.url)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const access = JSON.stringify({ api_key: 'bench', base_url: wire.url.openai, default_model: 'bench' })
  await fetch(`${daemon.url}/api/providers/openai/key`, { method: 'PUT', headers, body: access })

  const body = JSON.stringify({ message: 'Say many words' })
  const through: Ask = () =>
    timed(() => fetch(`${daemon.url}/api/chat/messages/stream`, { method: 'POST', headers, body }), 'event: token')
  const call = JSON.stringify({
    model: 'bench',
    stream: true,
    messages: [{ role: 'user', content: 'Say many words' }],
  })
  const direct: Ask = () =>
    timed(
      () => fetch(`${wire.url.openai}/chat/completions`, { method: 'POST', headers, body: call }),
      '"content":"word',
    )

  for (let index = 0; index < 4 * (warmUp + samples + atOnce) + manyTurns; index += 1) wire.script(text(answer))
  const directFirst = await firstTokens(direct)
  const first = await firstTokens(through)
  const directRate = await throughput(direct)
  const rate = await throughput(through)
  const before = residentMb(daemon.process)
  for (let index = 0; index < manyTurns; index += 1) await through()
  const after = residentMb(daemon.process)
  await daemon.end()
  remove(daemon.folder)
  const added = percentile(first, 0.5) - percentile(directFirst, 0.5)
  return [
    {
      what: 'time to first token, p50',
      value: percentile(first, 0.5),
      unit: 'ms',
      baseline: percentile(directFirst, 0.5),
    },
    { what: 'time to first token, added at p50', value: added, unit: 'ms' },
    { what: `tokens of ${atOnce} turns at once`, value: rate, unit: '/s', baseline: directRate },
    { what: `resident after ${manyTurns} more turns`, value: after, unit: 'MB', baseline: before },
  ]
}
