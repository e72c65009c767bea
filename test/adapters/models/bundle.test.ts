import { build } from 'esbuild'
import { Miniflare } from 'miniflare'
import { expect, test } from 'vitest'
import { startWire, type Vendor } from '../../fixtures/wire/index.ts'
import { vendors } from './drive.ts'

/** A Worker that asks one vendor and answers with the events. */
const worker = `
  import { createModels } from './adapters/models/index.ts'
  import { createClock } from './adapters/clock/clock.ts'

  export default {
    async fetch(request) {
      const { provider, base_url } = await request.json()
      const models = createModels({ fetch: (url, init) => fetch(url, init), clock: createClock() })
      const message = { role: 'user', content: [{ type: 'text', text: 'Good morning' }] }
      const call = { provider, base_url, model: 'm', api_key: 'k', system: '', messages: [message], tools: [] }
      const events = []
      try {
        for await (const event of models.stream({ ...call, signal: request.signal })) events.push(event)
      } catch (error) {
        events.push({ type: 'error', code: error.code, message: error.message })
      }
      return Response.json(events)
    },
  }
`

async function bundle(): Promise<{ code: string; external: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: worker, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker'],
    metafile: true,
    write: false,
  })
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports)
  return { code: outputFiles[0]?.text ?? '', external: imports.map(({ path }) => path) }
}

test('bundles for workerd without any Node modules, and works there', async () => {
  await using wire = await startWire()
  const { code, external } = await bundle()
  const miniflare = new Miniflare({
    modules: [{ type: 'ESModule', path: 'worker.js', contents: code }],
    compatibilityDate: '2026-01-01',
  })
  const ask = async (provider: Vendor) => {
    const body = JSON.stringify({ provider, base_url: wire.url[provider] })
    const response = await miniflare.dispatchFetch('http://worker/', { method: 'POST', body })
    return response.json()
  }

  const answers = await Promise.all(vendors.map(ask))

  await miniflare.dispose()
  // Mistral's package imports it for voice alone, when that is used.
  expect(external.filter((path) => path !== 'livekit-client')).toEqual([])
  for (const answer of answers) {
    expect(answer).toMatchObject([
      { type: 'text', text: 'Good ' },
      { type: 'text', text: 'morning' },
      { type: 'finish', reason: 'stop' },
    ])
  }
})
