import type { Host } from '../../host.ts'
import { newId } from '../../id.ts'
import type { Projection } from '../../ports/visualization.ts'
import type { EpisodeFilter } from '../filter.ts'
import { entitiesOf } from '../graph/mention-store.ts'
import type { Entity } from '../schema.ts'
import { Labels } from './labels.ts'
import type { Cluster, MemoryMap } from './schema.ts'
import { type ClusterText, clusterTexts, type Embedded, sampleVectors } from './store.ts'

/** Points of a map; of a larger memory they are a sample, spread over its whole time. */
const mostPoints = 5_000
/** Any number: the same one draws the same map. */
const seed = 20_180_209
/** Episodes that are read, and thought about, in one go. */
const page = 200
/** Topics and entities that are told of a cluster. */
const told = 8

export interface Drawing {
  filter: EpisodeFilter
  model: string
  clusters: number
  embedded: number
}

/** Draws the map of what is remembered. It takes seconds, in a thread of its own. */
export async function drawMap(host: Host, drawing: Drawing): Promise<MemoryMap> {
  const { filter, model, clusters, embedded } = drawing
  const step = Math.max(1, Math.ceil(embedded / mostPoints))
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

async function describe(host: Host, sample: readonly Embedded[], projection: Projection): Promise<MemoryMap> {
  const groups = new Map<number, Member[]>()
  const labels = new Labels()
  for (let start = 0; start < sample.length; start += page) {
    const ids = sample.slice(start, start + page).map(({ id }) => id)
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

/** The largest cluster first. */
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

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / (values.length || 1)
const rounded = (value: number) => Math.round(value * 10_000) / 10_000

function mostFrequent(names: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const ordered = [...counts].sort((left, right) => right[1] - left[1] || left[0].localeCompare(right[0]))
  return ordered.slice(0, told).map(([name]) => name)
}

/** `mentions` counts within the cluster. */
function mostMentioned(entities: readonly Entity[]): Entity[] {
  const sums = new Map<string, Entity>()
  for (const entity of entities) {
    const mentions = (sums.get(entity.id)?.mentions ?? 0) + entity.mentions
    sums.set(entity.id, { ...entity, mentions })
  }
  const ordered = [...sums.values()].sort(
    (left, right) => right.mentions - left.mentions || left.name.localeCompare(right.name),
  )
  return ordered.slice(0, told)
}
