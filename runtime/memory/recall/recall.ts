import { messagesInContext, type Recalled } from '../../chat/index.ts'
import type { Context } from '../../context.ts'
import { coverage, keywordsOf, wordsOf } from '../../english/words.ts'
import { readSection } from '../../sections/section.ts'
import type { Agent } from '../../tools/agent.ts'
import { cut } from '../../tools/text.ts'
import type { Episode, SearchResult } from '../schema.ts'
import { closestTo } from '../search/related.ts'
import { searchEpisodes, visibleTo } from '../search/search.ts'
import { memorySettings } from '../settings.ts'
import { episodesById, hasEpisodes, repliesOf } from '../store.ts'

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
  const results = await find(context, question, { visible, min_score: settings.min_score })
  const fresh = await notInContext(context, results, request.conversation_id)
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
  const search = { q: question, filter, limit: candidates, offset: 0, mode: 'hybrid', excerpts: false } as const
  const { results, mode } = await searchEpisodes(context, search)
  const good = results.filter(({ score }) => score >= options.min_score)
  const byWords = good.filter(({ episode }) => isRelevant(question, `${episode.content} ${episode.topics.join(' ')}`))
  if (mode === 'keyword' || byWords.length === good.length) return byWords
  const closest = await closestTo(context, question, filter, 'query')
  if (!closest || closest.score < minSimilarity) return byWords
  return good.filter((one) => byWords.includes(one) || one.episode.id === closest.id)
}

/** The share, and the minimum number, of the question's keywords that a memory must contain. */
const sharedKeywords = { share: 0.3, count: 2 }

/** Whether a memory contains enough keywords of the question: one of many is not enough. */
export function isRelevant(question: string, memory: string): boolean {
  const keywords = keywordsOf(question)
  const said = keywordsOf(memory)
  const shared = [...keywords].filter((word) => said.has(word)).length
  return (
    shared >= Math.min(sharedKeywords.count, keywords.size) &&
    coverage(keywords, said) >= Math.min(sharedKeywords.share, 4 / keywords.size)
  )
}

/** Leaves out memories of this conversation whose messages the model sees anyway. */
async function notInContext(
  context: Context,
  results: readonly SearchResult[],
  conversation: string,
): Promise<SearchResult[]> {
  const own = (result: SearchResult) => result.episode.provenance?.conversation_id === conversation
  const ids = results.filter(own).flatMap(({ episode }) => episode.provenance?.message_id ?? [])
  if (ids.length === 0) return [...results]
  const seen = await messagesInContext(context, ids)
  return results.filter(({ episode }) => !seen.has(episode.provenance?.message_id ?? ''))
}

async function toRecalled(context: Context, results: readonly SearchResult[], limit: number): Promise<Recalled[]> {
  const best = results.slice(0, limit)
  const replies = await repliesOf(
    context,
    best.map(({ episode }) => episode.id),
  )
  return withinBudget(
    best.map(({ episode, score }) => recalledOf(episode, replies.get(episode.id), Math.min(1, score))),
  )
}

/** The current text of memories that answers recalled before, by answer. Deleted ones are left out. */
export async function reloadRecalled(
  context: Context,
  answers: ReadonlyMap<string, readonly { id: string; score: number }[]>,
): Promise<Map<string, Recalled[]>> {
  const ids = [...new Set([...answers.values()].flat().map(({ id }) => id))]
  if (ids.length === 0) return new Map()
  const replies = await repliesOf(context, ids)
  const episodes = new Map((await episodesById(context, ids)).map((episode) => [episode.id, episode]))
  const recalledFor = (recalled: readonly { id: string; score: number }[]) =>
    withinBudget(
      recalled.flatMap(({ id, score }) => {
        const episode = episodes.get(id)
        return episode ? [recalledOf(episode, replies.get(id), score)] : []
      }),
    )
  return new Map([...answers].map(([answer, recalled]) => [answer, recalledFor(recalled)]))
}

const recalledOf = (episode: Episode, reply: string | undefined, score: number): Recalled => ({
  id: episode.id,
  text: textOfMemory(episode.content, reply ?? ''),
  trust: episode.trust,
  created_at: episode.created_at,
  score,
})

/** Maximum characters of all recalled memories in a prompt, and of one. */
const maxCharacters = 4_000
const maxPerMemory = 800

/** What a person said and the reply, each on one line, within the limit of one memory. */
export function textOfMemory(content: string, reply: string): string {
  const said = oneLine(content)
  if (reply === '') return shortened(said, maxPerMemory)
  const room = maxPerMemory - Math.min(said.length, maxPerMemory / 2)
  const answered = shortened(oneLine(reply), room)
  return `${shortened(said, maxPerMemory - answered.length)} — answered: ${answered}`
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim()

function shortened(text: string, max: number): string {
  const { text: kept, truncated } = cut(text, Math.max(1, max - 1))
  return truncated ? `${kept}…` : text
}

/** The first memories that fit into the prompt together. */
export function withinBudget(recalled: readonly Recalled[]): Recalled[] {
  let left = maxCharacters
  return recalled.filter(({ text }) => {
    left -= text.length
    return left >= 0
  })
}

/** The share, and the minimum number, of a memory's own keywords that show its use. */
const usedShare = 0.3
const usedWords = 2
/** This many keywords show the use of any memory, however long it is. */
const plentyOfWords = 5
/** A name or a number that only the memory contains is not a coincidence. */
const distinctive = /^\p{Lu}|\d/u

/**
 * Tells whether an answer used a memory of its prompt: it contains the memory's id, or five of the keywords that
 * only the memory contained, or three tenths of them if that is at least two words, a name or a number.
 */
export function usageIn({ text, said }: { text: string; said: string }) {
  const [keywords, answer] = [keywordsOf(said), keywordsOf(text)]
  return (memory: { id: string; text: string }): boolean => {
    if (text.includes(memory.id)) return true
    const own = [...keywordsOf(memory.text)].filter((word) => !keywords.has(word))
    const shared = own.filter((word) => answer.has(word))
    if (shared.length >= plentyOfWords) return true
    if (shared.length === 0 || shared.length / own.length < usedShare) return false
    return shared.length >= Math.min(usedWords, own.length) || includesDistinctive(shared, memory.text)
  }
}

function includesDistinctive(words: readonly string[], text: string): boolean {
  const names = keywordsOf(
    wordsOf(text)
      .filter((word) => distinctive.test(word))
      .join(' '),
  )
  return words.some((word) => names.has(word))
}
