import { Agent, request } from 'node:http'
import { percentile } from './table.ts'

/** What to send, as JSON in the first argument. */
export interface Load {
  url: string
  method: string
  headers: Record<string, string>
  body?: string
  connections: number
  seconds: number
}

export interface LoadResult {
  per_second: number
  p50_ms: number
  p99_ms: number
  failed: number
}

const load = JSON.parse(process.argv[2] ?? '{}') as Load
const agent = new Agent({ keepAlive: true, maxSockets: load.connections })

function once(): Promise<boolean> {
  return new Promise((resolve) => {
    const sent = request(load.url, { method: load.method, headers: load.headers, agent }, (response) => {
      response.resume()
      response.on('end', () => resolve((response.statusCode ?? 500) < 300))
    })
    sent.on('error', () => resolve(false))
    sent.end(load.body)
  })
}

async function client(until: number, samples: number[]): Promise<number> {
  let failed = 0
  while (performance.now() < until) {
    const begun = performance.now()
    if (await once()) samples.push(performance.now() - begun)
    else failed += 1
  }
  return failed
}

async function measure(seconds: number): Promise<LoadResult> {
  const samples: number[] = []
  const until = performance.now() + seconds * 1000
  const failed = await Promise.all(Array.from({ length: load.connections }, () => client(until, samples)))
  const total = failed.reduce((sum, count) => sum + count, 0)
  const per_second = samples.length / seconds
  return { per_second, p50_ms: percentile(samples, 0.5), p99_ms: percentile(samples, 0.99), failed: total }
}

await measure(1)
console.log(JSON.stringify(await measure(load.seconds)))
process.exit(0)
