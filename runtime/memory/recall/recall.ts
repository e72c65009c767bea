import { messagesInContext } from '../../chat/message-store.ts'
import type { Context } from '../../context.ts'
import { coverage, keywordsOf } from '../../english/words.ts'
import { readSection } from '../../sections/section.ts'
import type { Agent } from '../../tools/agent.ts'
import type { Episode, SearchResult } from '../schema.ts'
import { closestTo } from '../search/related.ts'
import { searchEpisodes, visibleTo } from '../search/search.ts'
import { memorySettings } from '../settings.ts'
import { episodesById, hasEpisodes, repliesOf } from '../store.ts'
import { type Recalled, textOfMemory, withinBudget } from './notes.ts'

export interface RecallRequest {
  agent: Agent
  conversation_id: string
  /** What the person says now. */
  said: string
  /** Their previous message, which supplements a message that says little on its own. */
  before: string
}

/** Cosine above which a memory may be relevant to a question that shares no words with it. */
const minSimilarity = 0.6

const candidates = 20

/** The memories relevant to what a person says, best first. An empty memory costs one read. */
export async function recall(context: Context, request: RecallRequest): Promise<Recalled[]> {
  const { memory } = request.agent
  if (!memory.enabled || memory.recall_limit === 0 || !(await hasEpisodes(context))) return []
  const settings = await readSection(context, memorySettings)
  const limit = Math.min(memory.recall_limit, settings.recall_limit)
  const question = questionOf(request)
  if (!settings.enabled || limit === 0 || question === '') return []
  const visible = await visibleTo(context, request.agent)
  const found = await find(context, question, { visible, min_score: settings.min_score })
  const fresh = await notInContext(context, found, request.conversation_id)
  return toRecalled(context, fresh, limit)
}

/** Of a longer message, such as a pasted file, only the beginning is searched for. */
const maxQuestion = 10_000

/** A short message such as "and her?" is searched together with the previous one. */
function questionOf({ said, before }: RecallRequest): string {
  const start = said.slice(0, maxQuestion)
  const question = keywordsOf(start).size < 2 ? `${start}\n${before.slice(0, maxQuestion)}`.trim() : start
  return question.toWellFormed()
}

/**
 * The results that share enough keywords with the question, and the most similar one. Scores alone are not
 * enough: they are relative, so the best of only irrelevant results also scores close to 1.
 */
async function find(context: Context, question: string, options: { visible: string[]; min_score: number }) {
  const filter = { visible_to: options.visible }
  const search = { q: question, filter, limit: candidates, offset: 0, mode: 'hybrid' as const }
  const { results, mode } = await searchEpisodes(context, search)
  const good = results.filter(({ score }) => score >= options.min_score)
  const byWords = good.filter(({ episode }) =>
    isRelevant(question, `${episode.content} ${episode.topics.join(' ')}`),
  )
  if (mode === 'keyword' || byWords.length === good.length) return byWords
  const closest = await closestTo(context, question, filter)
  if (!closest || closest.score < minSimilarity) return byWords
  return good.filter((one) => byWords.includes(one) || one.episode.id === closest.id)
}

/** The share, and the minimum number, of the question's keywords that a memory must contain. */
const sharedKeywords = { share: 0.3, count: 2 }

/** Whether a memory contains enough keywords of the question: one of many is not enough. */
export function isRelevant(question: string, memory: string): boolean {
  const asked = keywordsOf(question)
  const said = keywordsOf(memory)
  const shared = [...asked].filter((word) => said.has(word)).length
  return (
    shared >= Math.min(sharedKeywords.count, asked.size) &&
    coverage(asked, said) >= Math.min(sharedKeywords.share, 4 / asked.size)
  )
}

/** Leaves out memories of this conversation whose messages the model sees anyway. */
async function notInContext(
  context: Context,
  found: readonly SearchResult[],
  conversation: string,
): Promise<SearchResult[]> {
  const own = (result: SearchResult) => result.episode.provenance?.conversation_id === conversation
  const ids = found.filter(own).flatMap(({ episode }) => episode.provenance?.message_id ?? [])
  if (ids.length === 0) return [...found]
  const seen = await messagesInContext(context, ids)
  return found.filter(({ episode }) => !seen.has(episode.provenance?.message_id ?? ''))
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

/** The current text of memories that a turn recalled before. Deleted ones are left out. */
export async function reloadRecalled(
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
