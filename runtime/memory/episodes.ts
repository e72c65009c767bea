import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import { notFound } from '../fault.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { undoable } from './care/history.ts'
import { dropVersions } from './care/version-store.ts'
import { queueIndex } from './retrieval/index-queue.ts'
import type { Episode, EpisodeChanges, EpisodeQuery, NewEpisode, Provenance, Trust } from './schema.ts'
import {
  countEpisodes,
  deleteEpisode,
  findEpisode,
  insertEpisode,
  listEpisodes,
  updateEpisode,
} from './store.ts'

/** Where an episode comes from. What is left out says that the owner wrote it by hand. */
export interface Origin {
  source?: string
  trust?: Trust
  provenance?: Provenance | null
  /** What was answered, for an episode that keeps an exchange. */
  reply?: string
  /** Place in its conversation, from 0. */
  position?: number | null
  /** When it was said, for what is imported; default now. */
  created_at?: string
}

/** An episode with what stores and announces it, for the commit of what brings it about. */
export interface EpisodeDraft {
  episode: Episode
  statements: Statement[]
  events: EventInput[]
}

/** Stores one episode and announces it. */
export async function addEpisode(context: Context, input: NewEpisode & Origin): Promise<Episode> {
  const { episode, statements, events } = draftEpisode(context, input)
  await context.commit(statements, events)
  context.process.wake()
  return episode
}

export function draftEpisode(host: Pick<Host, 'clock'>, input: NewEpisode & Origin): EpisodeDraft {
  const {
    source = 'manual',
    trust = 'owner',
    provenance = null,
    reply = '',
    position = null,
    created_at,
    ...body
  } = input
  const now = host.clock.now()
  const at = { created_at: created_at ?? iso(now), updated_at: iso(now) }
  const episode: Episode = {
    id: newId('ep', now),
    ...body,
    source,
    trust,
    provenance,
    access_count: 0,
    cluster_id: null,
    ...at,
  }
  return {
    episode,
    statements: [insertEpisode(episode, { reply, position }), queueIndex(host)],
    events: [announce('created', episode)],
  }
}

/** One page of the list, newest first. */
export async function listPage(host: Pick<Host, 'sql'>, query: EpisodeQuery) {
  const { limit, offset, ...filter } = query
  const [episodes, total] = await Promise.all([
    listEpisodes(host, filter, { limit, offset }),
    countEpisodes(host, filter),
  ])
  return { episodes, total, limit, offset }
}

/** The episode, or a 404. */
export async function requireEpisode(host: Pick<Host, 'sql'>, id: string): Promise<Episode> {
  const episode = await findEpisode(host, id)
  if (!episode) throw notFound(`The episode ${id}`)
  return episode
}

/** Where it came from and how far it is trusted stay as they were: an edit does not make a stranger's word the owner's. */
export async function changeEpisode(context: Context, id: string, changes: EpisodeChanges): Promise<Episode> {
  const old = await requireEpisode(context, id)
  const episode: Episode = { ...old, ...changes, updated_at: iso(context.clock.now()) }
  await context.commit(
    [...undoable(context, id, 'updated'), updateEpisode(episode), queueIndex(context)],
    [announce('updated', episode)],
  )
  context.process.wake()
  return episode
}

/** Can be undone for 30 days, unless it is `forever`: then its history goes with it. */
export async function removeEpisode(context: Context, id: string, forever = false): Promise<void> {
  const episode = await requireEpisode(context, id)
  const before = forever ? [dropVersions(id)] : undoable(context, id, 'deleted')
  await context.commit([...before, deleteEpisode(id)], [announce('deleted', episode)])
}

const announce = (what: 'created' | 'updated' | 'deleted', { id, agent_id, source }: Episode) => ({
  type: `memory.episode.${what}`,
  data: { episode_id: id, agent_id, source },
})
