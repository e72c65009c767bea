import {
  type EmbedCall,
  type Embedder,
  EmbeddingError,
  type EmbeddingModel,
} from '../../runtime/ports/embedder.ts'
import { type Wire, wires } from './wires.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Milliseconds for one call; a local server may have to load the model first. */
const patience = 60_000

/** Embeddings of the vendors, over the one way out of the host. */
export function createVendorEmbedder(fetch: Fetch): Embedder {
  return {
    describe(provider, model) {
      const wire = Object.hasOwn(wires, provider) ? wires[provider] : undefined
      return wire ? describe(provider, wire, model) : null
    },
    async embed(call) {
      call.signal?.throwIfAborted()
      const wire = Object.hasOwn(wires, call.provider) ? wires[call.provider] : undefined
      if (!wire) throw new EmbeddingError(`There is no embedder ${call.provider} here`)
      if (wire.needs_key && !call.api_key) throw new EmbeddingError(`${call.provider} needs a key`)
      return call.texts.length > 0 ? ask(fetch, wire, call) : []
    },
    close: async () => undefined,
  }
}

const describe = (provider: string, wire: Wire, model: string | null): EmbeddingModel => ({
  name: `${provider}/${model ?? wire.model}`,
  model: model ?? wire.model,
  max_characters: wire.max_characters,
  max_texts: wire.max_texts,
  scripts: 'any',
  understands_questions: true,
})

async function ask(fetch: Fetch, wire: Wire, call: EmbedCall): Promise<Float32Array[]> {
  const base_url = (call.base_url ?? wire.base_url).replace(/\/+$/, '')
  const { url, headers, body } = wire.request({ ...call, model: call.model ?? wire.model, base_url })
  const response = await reach(fetch, call, url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) {
    await response.body?.cancel()
    throw new EmbeddingError(`${call.provider} answered ${response.status}${hintOf(response.status)}`)
  }
  return vectorsOf(wire, call, await response.json().catch(() => null))
}

async function reach(fetch: Fetch, call: EmbedCall, url: string, init: RequestInit): Promise<Response> {
  const limit = AbortSignal.timeout(patience)
  const signal = call.signal ? AbortSignal.any([call.signal, limit]) : limit
  try {
    return await fetch(url, { ...init, signal })
  } catch (thrown) {
    call.signal?.throwIfAborted()
    throw new EmbeddingError(`${call.provider} cannot be reached`, { cause: thrown })
  }
}

function hintOf(status: number): string {
  if (status === 401 || status === 403) return ': its key is not accepted'
  if (status === 404) return ': it has no such model'
  if (status === 429) return ': too many requests, or no credit left'
  return ''
}

function vectorsOf(wire: Wire, { provider, texts }: EmbedCall, answer: unknown): Float32Array[] {
  const vectors = readVectors(wire, answer)
  const length = vectors?.[0]?.length ?? 0
  const whole = vectors?.length === texts.length && length > 0
  if (
    !vectors ||
    !whole ||
    vectors.some((vector) => vector.length !== length || !vector.every(Number.isFinite))
  )
    throw new EmbeddingError(`${provider} did not answer one vector per text`)
  return vectors
}

function readVectors(wire: Wire, answer: unknown): Float32Array[] | null {
  try {
    return wire.vectors(answer).map((values) => Float32Array.from(values as number[]))
  } catch {
    return null
  }
}
