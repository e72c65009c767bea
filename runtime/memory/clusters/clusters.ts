import type { Context } from '../../context.ts'
import { unavailable } from '../../fault.ts'
import { packState, requirePack } from '../../features/pack-state.ts'
import { memoryVisualization } from '../../features/packs.ts'
import { VisualizationError } from '../../ports/visualization.ts'
import { currentEmbedding } from '../retrieval/embedding.ts'
import { storedModel } from '../retrieval/vector-store.ts'
import { drawMap } from './draw.ts'
import type { ClusterQuery, ClusterResponse, EmptyReason, MemoryMap } from './schema.ts'
import { type Counts, countMemory, findMap, saveMap } from './store.ts'

/** Episodes below which there is nothing to tell apart. */
export const fewest = 5

const nothing: MemoryMap = { clusters: [], points: [] }

/** The map of memory, or the reason why there is none. Drawn anew only when the memory has changed. */
export async function memoryClusters(context: Context, query: ClusterQuery): Promise<ClusterResponse> {
  const embedding = await currentEmbedding(context)
  const stored = await storedModel(context)
  const counts = await countMemory(context, { agent_id: query.agent_id }, embedding?.name ?? stored)
  const { id, installed, complete } = await packState(context, requirePack(memoryVisualization))
  const empty_reason = await reasonOf(context, {
    counts,
    embeddable: embedding !== null,
    outdated: stored !== embedding?.name,
  })
  const map = empty_reason || !embedding ? nothing : await currentMap(context, query, counts, embedding.name)
  return {
    ...map,
    empty_reason,
    episodes_total: counts.total,
    episodes_embedded: counts.embedded,
    embeddings_installed: embedding !== null,
    repair_command: context.packages.installation.repair_command,
    visualization: { pack_id: id, installed, complete },
  }
}

interface Findings {
  counts: Counts
  embeddable: boolean
  /** The vectors are of another model than the one in use. */
  outdated: boolean
}

/** What has to be done first, in the order in which a person would do it. */
async function reasonOf(
  context: Context,
  { counts, embeddable, outdated }: Findings,
): Promise<EmptyReason | null> {
  if (counts.total === 0) return 'no_episodes'
  if (!embeddable) return 'embeddings_unavailable'
  if (!(await context.visualization.available())) return 'visualization_unavailable'
  if (counts.embedded >= fewest) return null
  return counts.pending > 0 || outdated ? 'missing_embeddings' : 'too_few_embeddings'
}

async function currentMap(
  context: Context,
  { n, agent_id }: ClusterQuery,
  counts: Counts,
  model: string,
): Promise<MemoryMap> {
  const key = { scope: agent_id ?? '', clusters: n }
  const known = await findMap(context, key, counts.version)
  if (known) return known
  const { maps } = context.process
  const name = JSON.stringify([key, counts.version])
  const drawing = maps.get(name) ?? draw()
  maps.set(name, drawing)
  try {
    return await drawing
  } catch (thrown) {
    throw thrown instanceof VisualizationError ? unavailable(thrown.message) : thrown
  } finally {
    maps.delete(name)
  }

  async function draw(): Promise<MemoryMap> {
    const map = await drawMap(context, {
      filter: { agent_id },
      model,
      clusters: n,
      embedded: counts.embedded,
    })
    await context.commit(saveMap(key, counts.version, map))
    return map
  }
}
