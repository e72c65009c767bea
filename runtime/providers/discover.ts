import { z } from 'zod'
import type { Context } from '../context.ts'
import type { ProviderId } from '../models/vendors/index.ts'
import { second } from '../time.ts'
import { within } from '../within.ts'
import type { FoundServer } from './schema.ts'

interface Candidate {
  provider: ProviderId
  name: string
  origin: string
  /** Path of the list of models. */
  list: string
  /** The base URL is the origin followed by this path. */
  base: string
}

/** Where the well-known local servers listen by default. */
const candidates: readonly Candidate[] = [
  { provider: 'ollama', name: 'Ollama', origin: 'http://127.0.0.1:11434', list: '/api/tags', base: '' },
  { provider: 'openai', name: 'LM Studio', origin: 'http://127.0.0.1:1234', list: '/v1/models', base: '/v1' },
  { provider: 'openai', name: 'llama.cpp', origin: 'http://127.0.0.1:8080', list: '/v1/models', base: '/v1' },
  { provider: 'openai', name: 'vLLM', origin: 'http://127.0.0.1:8000', list: '/v1/models', base: '/v1' },
  { provider: 'openai', name: 'LiteLLM', origin: 'http://127.0.0.1:4000', list: '/v1/models', base: '/v1' },
  { provider: 'openai', name: 'Jan', origin: 'http://127.0.0.1:1337', list: '/v1/models', base: '/v1' },
]

const OllamaList = z.object({ models: z.array(z.object({ name: z.string() })) })
const OpenAiList = z.object({ data: z.array(z.object({ id: z.string() })) })

/** Model servers that answer on this machine now. It looks at loopback only. */
export async function discoverServers(context: Context): Promise<FoundServer[]> {
  const servers = await Promise.all(candidates.map((candidate) => probe(context, candidate).catch(() => null)))
  return servers.filter((server) => server !== null)
}

async function probe(context: Context, candidate: Candidate): Promise<FoundServer | null> {
  return within(context, { milliseconds: 1.5 * second }, async (signal) => {
    const options = { trusted_origins: [candidate.origin], max_redirects: 0 }
    const response = await context.outbound.fetch(candidate.origin + candidate.list, { signal }, options)
    const models = response.ok ? namesIn(await response.json()) : null
    const { provider, name, origin, base } = candidate
    return models && { provider, name, base_url: origin + base, models }
  })
}

/**
 * The models in an answer; null if it is not a list of models, which means that another program listens on
 * the port.
 */
export function namesIn(body: unknown): string[] | null {
  const ollama = OllamaList.safeParse(body)
  if (ollama.success) return ollama.data.models.map((model) => model.name)
  const openai = OpenAiList.safeParse(body)
  return openai.success ? openai.data.data.map((model) => model.id) : null
}
