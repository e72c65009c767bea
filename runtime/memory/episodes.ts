import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { conflict, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import type { Statement } from '../ports/sql.ts'
import { required } from '../required.ts'
import { day, iso, laterThan } from '../time.ts'
import type { Trust } from '../trust.ts'
import { entitiesOf } from './graph/store.ts'
import { countGraph } from './graph/view-store.ts'
import { addFeedback, feedbackOf, feedbackTotals } from './recall/store.ts'
import {
  type Change,
  type Episode,
  EpisodeChanges,
  type EpisodeDetail,
  type EpisodeQuery,
  type MemoryStats,
  type NewEpisode,
  type Provenance,
} from './schema.ts'
import {
  countEpisodes,
  deleteEpisode,
  deleteVersions,
  episodeStats,
  findEpisode,
  insertEpisode,
  listEpisodes,
  reinsertEpisode,
  repliesOf,
  saveVersion,
  updateEpisode,
  versionsOf,
} from './store.ts'
import { queueIndex, queueRetention } from './work-store.ts'

/** Where an episode comes from. The defaults describe an episode that the owner wrote by hand. */
export interface Origin {
  source?: string
  trust?: Trust
  provenance?: Provenance | null
  /** The assistant's reply, for an episode made of an exchange. */
  reply?: string
  /** Position in its conversation, from 0. Default: the last. */
  position?: number | null
  /** When it was said. Default: now. */
  created_at?: string
}

/** A new episode with the statements and events of the commit that creates it. */
export interface EpisodeDraft {
  episode: Episode
  statements: Statement[]
  events: EventInput[]
}

export async function addEpisode(context: Context, input: NewEpisode & Origin): Promise<Episode> {
  const { episode, statements, events } = draftEpisode(context, input)
  await context.commit(statements, events, { answer: episode })
  context.process.wake()
  return episode
}

export function draftEpisode(context: Pick<Context, 'clock' | 'caller'>, input: NewEpisode & Origin): EpisodeDraft {
  const {
    source = 'manual',
    trust = 'owner',
    provenance = null,
    reply = '',
    position = null,
    created_at,
    ...body
  } = input
  const now = context.clock.now()
  const stored = {
    id: newId('ep', now),
    ...body,
    source,
    trust,
    provenance,
    access_count: 0,
    created_at: created_at ?? iso(now),
    updated_at: iso(now),
  }
  const episode: Episode = { ...stored, cluster_id: null }
  return {
    episode,
    statements: [insertEpisode(ownerOf(context), { ...stored, reply, position }), queueIndex(context)],
    events: [eventOf('created', episode)],
  }
}

/** One page of episodes, newest first. */
export async function listPage(host: Context, query: EpisodeQuery) {
  const { limit, offset, ...filter } = query
  const [episodes, total] = await Promise.all([
    listEpisodes(host, filter, { limit, offset }),
    countEpisodes(host, filter),
  ])
  return { episodes, total, limit, offset }
}

/** The episode if the caller may see it, else a 404. */
export const requireEpisode = required('episode', findEpisode)

/** One episode with its reply, entities and recall counts, or a 404. */
export async function episodeDetail(host: Context, id: string): Promise<EpisodeDetail> {
  const [episode, replies, entities, feedback] = await Promise.all([
    requireEpisode(host, id),
    repliesOf(host, [id]),
    entitiesOf(host, [id]),
    feedbackOf(host, id),
  ])
  return { ...episode, reply: replies.get(id) ?? '', entities: entities.get(id) ?? [], feedback }
}

/** Updates an episode. Its trust and provenance stay: an edit does not turn a stranger's text into the owner's. */
export const changeEpisode = (context: Context, id: string, changes: EpisodeChanges): Promise<Episode> =>
  againIfLost(() => changeOnce(context, id, changes))

async function changeOnce(context: Context, id: string, changes: EpisodeChanges): Promise<Episode> {
  const old = await requireEpisode(context, id)
  const episode: Episode = { ...old, ...changes, updated_at: laterThan(old.updated_at, context.clock.now()) }
  await context.commit(
    [...recordVersion(context, id, 'updated'), updateEpisode(episode, old), queueIndex(context)],
    [eventOf('updated', episode)],
  )
  context.process.wake()
  return episode
}

/** Deletes an episode. It can be restored for 30 days, unless it is deleted `forever`, with its history. */
export async function removeEpisode(context: Context, id: string, forever = false): Promise<void> {
  const episode = await requireEpisode(context, id)
  const before = forever ? [deleteVersions(id)] : recordVersion(context, id, 'deleted')
  await context.commit([...before, deleteEpisode(id)], [eventOf('deleted', episode)])
}

const eventOf = (what: 'created' | 'updated' | 'deleted' | 'restored', { id, agent_id, source }: Episode) =>
  event(`memory.episode.${what}`, { episode_id: id, agent_id, source })

/** How long versions are kept, including those of deleted episodes. */
export const versionLifetime = 30 * day

/** The statements that save the current version of an episode. They must precede its change in the same commit. */
export function recordVersion(context: Context, id: string, change: Change): Statement[] {
  const now = context.clock.now()
  const saved = saveVersion(id, { change, by: context.caller.name, at: iso(now) })
  return [...saved, queueRetention(context, now + versionLifetime + day)]
}

/** The versions of an episode, newest first; a 404 if there is neither an episode nor a version. */
export async function historyOf(host: Context, id: string) {
  const [current, versions] = await Promise.all([
    findEpisode(host, id),
    versionsOf(host, id, iso(host.clock.now() - versionLifetime)),
  ])
  if (!current && versions.length === 0) throw notFound(`The episode ${id}`)
  return { episode_id: id, current, versions }
}

/** Restores a version of an episode, also of a deleted one. A restore can be undone as well. */
export const restoreEpisode = (context: Context, id: string, version?: number): Promise<Episode> =>
  againIfLost(() => restoreOnce(context, id, version))

async function restoreOnce(context: Context, id: string, version?: number): Promise<Episode> {
  const { current, versions } = await historyOf(context, id)
  const target = version === undefined ? versions[0] : versions.find((one) => one.version === version)
  if (!target && version === undefined) throw conflict('There is no change to undo')
  if (!target) throw notFound(`The version ${version}`)
  const { reply: _, position: __, ...old } = target.episode
  const now = context.clock.now()
  const updated_at = current ? laterThan(current.updated_at, now) : iso(now)
  // An edit changes neither counts nor origin, so a restore keeps them.
  const episode: Episode = current
    ? { ...current, ...EpisodeChanges.parse(old), updated_at }
    : { ...old, cluster_id: null, updated_at }
  const statements = current
    ? [...recordVersion(context, id, 'restored'), updateEpisode(episode, current)]
    : [
        {
          ...reinsertEpisode(ownerOf(context), { ...target.episode, updated_at }),
          guard: 'The episode was already restored',
        },
      ]
  const restored = eventOf('restored', episode)
  await context.commit([...statements, queueIndex(context)], [restored], { answer: episode })
  context.process.wake()
  return episode
}

/** Counts whether an episode was useful, as reported by a person or another program. */
export async function giveFeedback(context: Context, id: string, used: boolean) {
  const episode = await requireEpisode(context, id)
  const counts = { recalled: 0, used: Number(used), ignored: Number(!used) }
  const data = { episode_id: id, agent_id: episode.agent_id, used }
  const { recalled, ...before } = await feedbackOf(context, id)
  const sums = { used: before.used + counts.used, ignored: before.ignored + counts.ignored }
  const answer = { episode_id: id, recalled, ...sums }
  await context.commit([addFeedback(id, counts)], [{ type: 'memory.episode.feedback', data }], { answer })
  return answer
}

export async function memoryStats(host: Context): Promise<MemoryStats> {
  const [episodes, graph, { recalled, used, ignored }] = await Promise.all([
    episodeStats(host),
    countGraph(host),
    feedbackTotals(host),
  ])
  const judged = used + ignored
  const recall_feedback = {
    total_recalls: recalled,
    used_count: used,
    ignored_count: ignored,
    usage_rate: judged === 0 ? 0 : used / judged,
  }
  return { ...episodes, ...graph, recall_feedback }
}
