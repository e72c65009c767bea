import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { createModels, type ModelHost } from '../../../adapters/models/index.ts'
import type { ModelCall, ModelError, ModelEvent, Models } from '../../../runtime/ports/models.ts'
import { startWire, type Vendor, type Wire } from '../../fixtures/wire/index.ts'

export const vendors: Vendor[] = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'groq',
  'deepseek',
  'openrouter',
  'ollama',
]

export const apiKey = 'sk-canary-0123456789abcdef'

export interface Drive extends AsyncDisposable {
  wire: Wire
  models: Models
  clock: ReturnType<typeof createFakeClock>
}

/** The real provider packages, led to the wire by `fetch`, on a clock that stands still. */
export async function drive(options: Partial<ModelHost> = {}): Promise<Drive> {
  const wire = await startWire()
  const clock = createFakeClock('2026-01-05T09:00:00.000Z')
  const models = createModels({ fetch: wire.fetch, clock, ...options })
  return { wire, models, clock, [Symbol.asyncDispose]: wire.close }
}

export function newCall(details: Partial<ModelCall> = {}): ModelCall {
  return {
    provider: 'anthropic',
    model: 'model-a',
    api_key: apiKey,
    system: 'Be brief.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Good morning' }] }],
    tools: [],
    signal: new AbortController().signal,
    ...details,
  }
}

export const addTool = {
  name: 'add',
  description: 'Adds two numbers',
  input_schema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
}

/** All that came of a call: the events, the text in one piece, and the error when it failed. */
export async function collect(events: AsyncIterable<ModelEvent>) {
  const seen: ModelEvent[] = []
  let error: ModelError | undefined
  try {
    for await (const event of events) seen.push(event)
  } catch (thrown) {
    error = thrown as ModelError
  }
  return {
    events: seen,
    text: join(seen, 'text'),
    reasoning: join(seen, 'reasoning'),
    finish: seen.at(-1),
    error,
  }
}

function join(events: ModelEvent[], type: 'text' | 'reasoning'): string {
  return events.map((event) => (event.type === type ? (event as { text: string }).text : '')).join('')
}
