import type { Context } from '../../context.ts'
import { conflict, notFound } from '../../fault.ts'
import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import { day, iso } from '../../time.ts'
import { queueIndex } from '../retrieval/index-queue.ts'
import type { Episode } from '../schema.ts'
import { findEpisode, updateEpisode } from '../store.ts'
import { queueRetention } from './retention-queue.ts'
import type { Change, EpisodeVersion, WholeEpisode } from './schema.ts'
import { keepVersion, reinsertEpisode, versionsOf } from './version-store.ts'

/** Versions older than this are forgotten, those of deleted episodes too. */
export const keptFor = 30 * day

/** The statements that let a change of an episode be undone, to stand before it in the same commit. */
export function undoable(context: Context, id: string, change: Change): Statement[] {
  const now = context.clock.now()
  const kept = keepVersion(id, { change, by: context.caller.name, at: iso(now) })
  return [...kept, queueRetention(context, now + keptFor + day)]
}

/** What an episode was before, the latest first. A 404 when nothing is known of it. */
export async function historyOf(host: Host, id: string) {
  const [current, versions] = await Promise.all([findEpisode(host, id), keptVersions(host, id)])
  if (!current && versions.length === 0) throw notFound(`The episode ${id}`)
  return { episode_id: id, current, versions }
}

const keptVersions = (host: Pick<Host, 'sql' | 'clock'>, id: string): Promise<EpisodeVersion[]> =>
  versionsOf(host, id, iso(host.clock.now() - keptFor))

/** Makes an episode what it was, or puts it back where it was deleted. That can be undone, too. */
export async function restoreEpisode(context: Context, id: string, version?: number): Promise<Episode> {
  const { current, versions } = await historyOf(context, id)
  const wanted = version === undefined ? versions[0] : versions.find((one) => one.version === version)
  if (!wanted && version === undefined) throw conflict('Nothing has changed here that could be undone')
  if (!wanted) throw notFound(`The version ${version}`)
  const { reply: _, position: __, ...old } = wanted.episode
  const updated_at = iso(context.clock.now())
  const episode: Episode = current
    ? { ...current, ...editable(old), updated_at }
    : { ...old, cluster_id: null, updated_at }
  const statements = current
    ? [...undoable(context, id, 'restored'), updateEpisode(episode)]
    : [{ ...reinsertEpisode({ ...wanted.episode, updated_at }), guard: 'The episode was restored already' }]
  const data = { episode_id: id, agent_id: episode.agent_id, source: episode.source }
  await context.commit([...statements, queueIndex(context)], [{ type: 'memory.episode.restored', data }])
  context.process.wake()
  return episode
}

/** Counts and origins are not what an edit changes, so they are not what is undone. */
const editable = ({
  content,
  summary,
  valence,
  importance,
  topics,
  agent_id,
}: Omit<WholeEpisode, 'reply' | 'position'>) => ({
  content,
  summary,
  valence,
  importance,
  topics,
  agent_id,
})
