import type { Host } from '../../host.ts'
import { EmbeddingError, type EmbeddingModel } from '../../ports/embedder.ts'
import { accessTo } from '../../providers/access.ts'
import { readSection } from '../../settings/section.ts'
import { memorySettings } from '../settings.ts'

/** The model of this host's settings, and how to reach it. */
export interface Embedding extends EmbeddingModel {
  provider: string
  embed(
    texts: readonly string[],
    options: { purpose: 'query' | 'passage'; signal?: AbortSignal },
  ): Promise<Float32Array[]>
}

/** What the settings ask for; null when they ask for none, or this host has no such embedder. */
export async function currentEmbedding(host: Host): Promise<Embedding | null> {
  const { provider, model } = (await readSection(host, memorySettings)).embedding
  if (provider === 'none') return null
  const described = host.embedder.describe(provider, model)
  if (!described) return null
  return {
    ...described,
    provider,
    async embed(texts, options) {
      const access = provider === 'local' ? {} : await accessOf(host, provider, described.model)
      return host.embedder.embed({ provider, model: described.model, texts, ...access, ...options })
    },
  }
}

async function accessOf(host: Host, provider: string, model: string) {
  try {
    const { api_key, base_url } = await accessTo(host, provider, model)
    return { ...(api_key ? { api_key } : {}), ...(base_url ? { base_url } : {}) }
  } catch (thrown) {
    throw new EmbeddingError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}
