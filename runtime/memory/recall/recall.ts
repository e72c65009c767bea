import type { Agent } from '../../agents/schema.ts'
import type { Context } from '../../context.ts'
import { readSection } from '../../settings/section.ts'
import { likeness } from '../retrieval/neighbours.ts'
import type { Episode, SearchResult } from '../schema.ts'
import { searchEpisodes, visibleTo } from '../search.ts'
import { memorySettings } from '../settings.ts'
import { episodesById } from '../store.ts'
import { tellingWords } from '../words.ts'
import { type Recalled, textOfMemory, withinBudget } from './notes.ts'
import { hasEpisodes, messagesInSight, repliesOf } from './store.ts'
import { hasToDoWith } from './telling.ts'

export interface RecallWish {
  agent: Agent
  conversation_id: string
  /** What the person says now. */
  said: string
  /** What they said before, for a message that says little alone. */
  before: string
}

/** Cosine from which a memory may belong to a question that shares no words with it. */
const alike = 0.6

/** Of so many the best few are taken. */
const candidates = 20

/** The memories that belong to what a person says, best first. A store without any costs one look. */
export async function recall(context: Context, wish: RecallWish): Promise<Recalled[]> {
  const { memory } = wish.agent
  if (!memory.enabled || memory.recall_limit === 0 || !(await hasEpisodes(context))) return []
  const settings = await readSection(context, memorySettings)
  const limit = Math.min(memory.recall_limit, settings.recall_limit)
  const question = questionOf(wish)
  if (!settings.enabled || limit === 0 || question === '') return []
  const visible = await visibleTo(context, wish.agent)
  const found = await find(context, question, { visible, min_score: settings.min_score })
  const fresh = await unseen(context, found, wish.conversation_id)
  return toRecalled(context, fresh, limit)
}

/** A short message such as "and her?" is looked for together with the one before it. */
function questionOf({ said, before }: RecallWish): string {
  return tellingWords(said).size < 2 ? `${said}\n${before}`.trim() : said
}

/**
 * What has to do with the question, by its words, or as the nearest of all in meaning. Scores of a search say how what
 * was found stands to each other: the best of nothing but bad ones is near 1 too.
 */
async function find(context: Context, question: string, wish: { visible: string[]; min_score: number }) {
  const filter = { visible_to: wish.visible }
  const search = { q: question, filter, limit: candidates, offset: 0, mode: 'hybrid' as const }
  const { results, mode } = await searchEpisodes(context, search)
  const good = results.filter(({ score }) => score >= wish.min_score)
  const byWords = good.filter(({ episode }) =>
    hasToDoWith(question, `${episode.content} ${episode.topics.join(' ')}`),
  )
  if (mode === 'keyword' || byWords.length === good.length) return byWords
  const nearest = await likeness(context, question, filter)
  if (!nearest || nearest.score < alike) return byWords
  return good.filter((one) => byWords.includes(one) || one.episode.id === nearest.episode_id)
}

/** Without those of this very conversation that the model reads anyway. */
async function unseen(
  context: Context,
  found: readonly SearchResult[],
  conversation: string,
): Promise<SearchResult[]> {
  const own = (result: SearchResult) => result.episode.provenance?.conversation_id === conversation
  const ids = found.filter(own).flatMap(({ episode }) => episode.provenance?.message_id ?? [])
  if (ids.length === 0) return [...found]
  const inSight = await messagesInSight(context, ids)
  return found.filter(({ episode }) => !inSight.has(episode.provenance?.message_id ?? ''))
}

async function toRecalled(
  context: Context,
  found: readonly SearchResult[],
  limit: number,
): Promise<Recalled[]> {
  const best = found.slice(0, limit)
  const replies = await repliesOf(
    context,
    best.map(({ episode }) => episode.id),
  )
  return withinBudget(
    best.map(({ episode, score }) => shown(episode, replies.get(episode.id), Math.min(1, score))),
  )
}

/** The same memories once more, as they are now; those that were forgotten meanwhile are left out. */
export async function recallAgain(
  context: Context,
  known: readonly { id: string; score: number }[],
): Promise<Recalled[]> {
  const ids = known.map(({ id }) => id)
  const replies = await repliesOf(context, ids)
  const episodes = new Map((await episodesById(context, ids)).map((episode) => [episode.id, episode]))
  return withinBudget(
    known.flatMap(({ id, score }) => {
      const episode = episodes.get(id)
      return episode ? [shown(episode, replies.get(id), score)] : []
    }),
  )
}

const shown = (episode: Episode, reply: string | undefined, score: number): Recalled => ({
  id: episode.id,
  text: textOfMemory(episode.content, reply ?? ''),
  trust: episode.trust,
  created_at: episode.created_at,
  score,
})
