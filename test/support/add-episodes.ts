import type { Context } from '../../runtime/context.ts'
import { event } from '../../runtime/events/event.ts'
import { draftEpisode, type Origin } from '../../runtime/memory/episodes.ts'
import type { NewEpisode } from '../../runtime/memory/schema.ts'
import { queueIndex } from '../../runtime/memory/work-store.ts'

/** Episodes of one commit: about ten milliseconds, with a turn for others behind each. */
const perCommit = 50

/** Stores many episodes, in order, as an import does. Each commit is announced once. Answers their ids. */
export async function addEpisodes(context: Context, inputs: readonly (NewEpisode & Origin)[]): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < inputs.length; index += perCommit) {
    context.signal.throwIfAborted()
    const drafts = inputs.slice(index, index + perCommit).map((input) => draftEpisode(context, input))
    const some = drafts.map(({ episode }) => episode.id)
    const imported = event('memory.episodes.imported', { episode_ids: some })
    await context.commit([...drafts.flatMap(({ statements }) => statements), queueIndex(context)], [imported])
    await context.clock.after(0)
    ids.push(...some)
  }
  context.process.wake()
  return ids
}
