import { everyone, visibleOwner } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import { unavailable } from '../../fault.ts'
import { memoryVisualization, packState, requirePack } from '../../features/index.ts'
import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import { sumOf } from '../../numbers.ts'
import { type Projection, VisualizationError } from '../../ports/visualization.ts'
import { processState } from '../../process-state.ts'
import { entitiesOf } from '../graph/store.ts'
import type { Cluster, ClusterQuery, ClusterResponse, EmptyReason, Entity, MemoryMap } from '../schema.ts'
import { currentEmbedding } from '../search/embedding.ts'
import { type EpisodeVector, sampleVectors, storedModel } from '../search/vector-store.ts'
import type { EpisodeFilter } from '../store.ts'
import { Labels } from './labels.ts'
import { type ClusterText, type Counts, clusterTexts, countMemory, findMap, saveMap } from './store.ts'

/** Minimum number of episodes of a map. */
const minEpisodes = 5

const emptyMap: MemoryMap = { clusters: [], points: [] }

/**
 * The map of memory, or the reason why there is none. It is computed again only after the memory has changed.
 */
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
  const map = empty_reason || !embedding ? emptyMap : await currentMap(context, query, counts, embedding.name)
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
  /** The vectors were created by a model other than the current one. */
  outdated: boolean
}

/** The reasons in the order in which a person would fix them. */
async function reasonOf(context: Context, { counts, embeddable, outdated }: Findings): Promise<EmptyReason | null> {
  if (counts.total === 0) return 'no_episodes'
  if (!embeddable) return 'embeddings_unavailable'
  if (!(await context.visualization.available())) return 'visualization_unavailable'
  if (counts.embedded >= minEpisodes) return null
  return counts.pending > 0 || outdated ? 'missing_embeddings' : 'too_few_embeddings'
}

/** Maps that are being computed, by their key and version. */
const pendingMaps = processState(() => new Map<string, Promise<MemoryMap>>())

async function currentMap(
  context: Context,
  { n, agent_id }: ClusterQuery,
  counts: Counts,
  model: string,
): Promise<MemoryMap> {
  const owner = visibleOwner(context) ?? everyone
  const key = { scope: agent_id === undefined ? owner : `${owner} ${agent_id}`, clusters: n }
  const map = await findMap(context, key, counts.version)
  if (map) return map
  const maps = pendingMaps(context)
  const name = JSON.stringify([key, counts.version])
  const computing = maps.get(name) ?? compute()
  maps.set(name, computing)
  try {
    return await computing
  } catch (thrown) {
    throw thrown instanceof VisualizationError ? unavailable(thrown.message) : thrown
  } finally {
    maps.delete(name)
  }

  async function compute(): Promise<MemoryMap> {
    const map = await computeMap(context, {
      filter: { agent_id },
      model,
      clusters: n,
      embedded: counts.embedded,
    })
    await context.commit(saveMap(key, counts.version, map))
    return map
  }
}

/** Maximum number of points. A larger memory is sampled evenly over time. */
const maxPoints = 5_000
/** Any constant, so that the same memory gives the same map. */
const seed = 20_180_209
/** Episodes processed between two turns of the event loop. */
const batchSize = 200
/** Maximum number of topics and of entities of a cluster. */
const maxListed = 8

interface MapOptions {
  filter: EpisodeFilter
  model: string
  clusters: number
  embedded: number
}

/** Computes a map. The projection takes seconds, in a thread of its own. */
async function computeMap(host: Host, options: MapOptions): Promise<MemoryMap> {
  const { filter, model, clusters, embedded } = options
  const step = Math.max(1, Math.ceil(embedded / maxPoints))
  const sample = await sampleVectors(host, { filter, model, step })
  const dimensions = sample[0]?.vector.length ?? 0
  const values = new Float32Array(sample.length * dimensions)
  for (const [index, { vector }] of sample.entries()) values.set(vector, index * dimensions)
  const { stopping: signal } = host.process
  const table = { values, dimensions }
  const projection = await host.visualization.project({ table, clusters, seed, signal })
  return describe(host, sample, projection)
}

interface Member {
  id: string
  x: number
  y: number
  text: ClusterText | undefined
  entities: readonly Entity[]
}

async function describe(host: Host, sample: readonly EpisodeVector[], projection: Projection): Promise<MemoryMap> {
  const groups = new Map<number, Member[]>()
  const labels = new Labels()
  for (let start = 0; start < sample.length; start += batchSize) {
    const ids = sample.slice(start, start + batchSize).map(({ id }) => id)
    const texts = new Map((await clusterTexts(host, ids)).map((text) => [text.id, text]))
    const entities = await entitiesOf(host, ids)
    for (const [offset, id] of ids.entries()) {
      const at = start + offset
      const group = projection.clusters[at] ?? 0
      const [x = 0, y = 0] = projection.positions.subarray(at * 2, at * 2 + 2)
      const member = {
        id,
        x: rounded(x),
        y: rounded(y),
        text: texts.get(id),
        entities: entities.get(id) ?? [],
      }
      const others = groups.get(group)
      if (others) others.push(member)
      else groups.set(group, [member])
      const { content = '', topics = [] } = member.text ?? {}
      labels.add({ group, content, topics, entities: member.entities.map(({ name }) => name) })
    }
    await host.clock.after(0)
  }
  return mapOf(host, groups, labels)
}

/** Largest cluster first. */
function mapOf(host: Host, groups: Map<number, Member[]>, labels: Labels): MemoryMap {
  const map: MemoryMap = { clusters: [], points: [] }
  for (const [group, members] of [...groups].sort(([, left], [, right]) => right.length - left.length)) {
    const id = newId('cluster', host.clock.now())
    map.clusters.push({ id, label: labels.of(group), ...summary(members) })
    map.points.push(...members.map(({ id: episode_id, x, y }) => ({ episode_id, x, y, cluster_id: id })))
  }
  return map
}

function summary(members: readonly Member[]): Omit<Cluster, 'id' | 'label'> {
  const topics = members.flatMap(({ text }) => text?.topics ?? [])
  return {
    size: members.length,
    topics: mostFrequent(topics),
    entities: mostMentioned(members.flatMap(({ entities }) => entities)),
    avg_importance: rounded(mean(members.map(({ text }) => text?.importance ?? 0))),
    position: [rounded(mean(members.map(({ x }) => x))), rounded(mean(members.map(({ y }) => y)))],
    episode_ids: members.map(({ id }) => id),
  }
}

const mean = (values: readonly number[]) => sumOf(values) / (values.length || 1)
const rounded = (value: number) => Math.round(value * 10_000) / 10_000

function mostFrequent(names: readonly string[]): string[] {
  const counted = [...Map.groupBy(names, (name) => name)].map(([name, all]) => ({
    name,
    mentions: all.length,
  }))
  return counted
    .sort(byMentions)
    .slice(0, maxListed)
    .map(({ name }) => name)
}

/** Most mentioned first. `mentions` counts within the cluster. */
const mostMentioned = (entities: readonly Entity[]): Entity[] =>
  [...Map.groupBy(entities, ({ id }) => id).values()]
    .flatMap(([first, ...rest]) =>
      first ? [{ ...first, mentions: first.mentions + sumOf(rest, ({ mentions }) => mentions) }] : [],
    )
    .sort(byMentions)
    .slice(0, maxListed)

type Mentioned = Pick<Entity, 'name' | 'mentions'>

const byMentions = (left: Mentioned, right: Mentioned): number =>
  right.mentions - left.mentions || left.name.localeCompare(right.name)
