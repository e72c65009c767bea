import { summarise } from '../../../english/summarise.ts'
import { clip } from '../../../english/text.ts'
import { coverage, keywordsOf } from '../../../english/words.ts'
import { compose } from '../compose.ts'
import { rows, textField } from '../conversation.ts'
import { bestMatch, isSure } from '../match.ts'
import { ADD_PROVIDER } from '../notice.ts'
import phrases from '../phrases.json' with { type: 'json' }
import { isBackReference } from '../sources.ts'
import { ended, longDate, toSecondPerson, unquote } from '../text.ts'
import { type Behaviour, call, type Outcome, type Scene, type Slots, say, speak, tryCall } from '../types.ts'

export const remember: Behaviour = {
  async *run(slots, scene) {
    const content = contentOf(slots, scene)
    if (content === '') return yield* speak('What should I remember?')
    const { name } = slots
    const saved = yield call('memory_save', name ? { content, importance: 0.8 } : { content })
    yield say(name ? `Nice to meet you, ${name}. I will remember your name.` : compose(saved))
    return { title: 'what you told me', text: content }
  },
}

function contentOf({ content = '', name }: Slots, { material, ...scene }: Scene): string {
  if (name) return `My name is ${name}`
  if (!isBackReference(content)) return dated(unquote(content), scene)
  if (!material) return ''
  const { title, url, text } = material
  const kept = text.length > 600 ? summarise(text, { title }) : text
  return clip(`${title}${url ? ` (${url})` : ''}: ${kept}`, 2000)
}

const RELATIVE =
  /\b(?:today|tonight|tomorrow|yesterday|(?:this|next|last) \w+|in \S+ (?:hour|day|week|month)s?|on \w{3,6}day)\b/i

/** "Tomorrow" means nothing next week: a memory with such a word keeps the day on which it was said. */
function dated(content: string, { now, timezone }: Pick<Scene, 'now' | 'timezone'>): string {
  if (!RELATIVE.test(content)) return content
  return `${content} (said on ${longDate(now, timezone)})`
}

/** "What do you know about me" names nothing that could be searched for, so common facts are searched for. */
const ABOUT_OWNER = 'my name, birthday, family, sister, brother, favourite, allergic, I like, I live, I work, I prefer'

export const recall: Behaviour = {
  async *run(slots, scene) {
    const query = cleanQuery(slots.query ?? '')
    const outcome = yield call('memory_search', query ? { query, limit: 5 } : { query: ABOUT_OWNER, limit: 20 })
    const stated = contentsOf(outcome).filter((content) => isStated(content, scene))
    yield say(composeRecall(stated, query))
    return { title: 'what I remember', text: stated.join('\n') }
  },
}

function cleanQuery(query: string): string {
  const clean = query.replace(/^(?:that|about|of)\s+/i, '').replace(/(?<![\s?.!])[\s?.!]+$/, '')
  if (/^who am I$/i.test(clean)) return 'my name'
  return /^(?:me|myself|about me|who I am|everything|it all|so far)?$/i.test(clean) ? '' : clean
}

const contentsOf = (outcome: Outcome): string[] =>
  rows(outcome.output, 'results')
    .map((row) => textField(row, 'content'))
    .filter(Boolean)

/** Whether a memory is a statement: a question or an order that was remembered answers nothing. */
function isStated(content: string, scene: Scene): boolean {
  const intent = bestMatch(content, scene)
  return !(isSure(intent) && intent.intent.name !== 'remember') && !/[?？]\s*$/.test(content)
}

/** The memories that answer the question, addressed to the owner; the reply says so if none mentions the subject. */
function composeRecall(contents: readonly string[], query: string): string {
  if (contents.length === 0)
    return query ? `I found nothing in memory about "${query}".` : 'Nothing came up. Ask about something.'
  const words = keywordsOf(query)
  const scored = contents.map((content) => ({ content, fit: coverage(words, keywordsOf(content)) }))
  const fitting = scored.filter(({ fit }) => fit >= 0.5).sort((left, right) => right.fit - left.fit)
  if (fitting.length === 0 && words.size > 0)
    return `Nothing in memory says so directly. The closest:\n\n${bullets(contents.slice(0, 3))}`
  const lines = fitting.length > 0 ? fitting.map(({ content }) => content) : contents
  return lines.length === 1 ? `You told me: ${ended(toOwner(lines[0] ?? ''))}` : `From memory:\n\n${bullets(lines)}`
}

const bullets = (contents: readonly string[]): string => contents.map((content) => `- ${toOwner(content)}`).join('\n')

/** A memory, addressed to its owner. */
function toOwner(content: string): string {
  const short = clip(content, 300)
  return /^(?:I|my|our)\b/i.test(short) ? toSecondPerson(short) : short
}

/** Questions that no rule knows. Memory may hold the answer; if it does not, the reply says so. */
export const knowledge: Behaviour = {
  async *run({ query = '' }, scene) {
    const words = keywordsOf(query)
    if (!scene.tools.has('memory_search') || words.size === 0)
      return yield* speak(`${phrases.no_knowledge} ${ADD_PROVIDER}`)
    const outcome = yield tryCall('memory_search', { query, limit: 5 })
    // Only a memory that names everything that was asked for counts as an answer.
    const answers = contentsOf(outcome).filter((text) => !outcome.failed && coverage(words, keywordsOf(text)) === 1)
    const none = `${phrases.no_knowledge} Nothing in memory answers it either. ${ADD_PROVIDER}`
    return yield* speak(answers.length > 0 ? `From memory: ${answers.slice(0, 3).map(toOwner).join('; ')}` : none)
  },
}
