import { compose } from '../compose.ts'
import { rows, textField } from '../conversation.ts'
import { dated } from '../dates.ts'
import { bestMatch, isSure } from '../match.ts'
import { ADD_PROVIDER } from '../notice.ts'
import { isBackReference } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { clip, ended, quoted, sentences, similarWords, stems, toSecondPerson, unquote } from '../text.ts'
import {
  call,
  grammar,
  handled,
  type Intent,
  type Outcome,
  type Scene,
  type Slots,
  say,
  speak,
} from '../types.ts'

const KEEP =
  "remember|memori[sz]e|note down|keep in mind|don'?t (?:ever )?forget|do not forget|jot down|(?:make|take|leave) a note of|note to self|commit to memory"
const OFTEN =
  "(?:really |also |absolutely |do |usually |often |only |never |always |don'?t |do not |no longer |just )*"

export const remember: Intent = {
  title: 'Remember',
  tools: ['memory_save'],
  examples: ['remember that I like green tea', 'my name is Sam'],
  content: true,
  rules: grammar`
    @ 0.97
      (always )?(${KEEP}|note|write down|save|store|learn|(make|take|leave) a note)( (the following|the fact|to memory|in memory|for later|of|about|down))*( that|:| this:| that:)[,:]?\s+(?<content>.+)
      (always )?(${KEEP})[,:]?\s+(?!me\b|when\b|what\b|who\b|where\b|how\b)(?<content>.+)
      (save|store|put|add|write)\s+(?<content>.+?)\s+(to|in|into)\s+(your |the |my )?memor(y|ies)
      (for (the|your) record|fyi|just so you know|for future reference|you should know( that)?)[,:]?\s+(?<content>.+)
    @ 0.97; whole: .
      (?<content>(my|our|the|I) .{1,300}?),? (and )?(please )?(${KEEP}|note) (it|that|this)
    @ 0.95; ask: What should I remember?
      (remember|memori[sz]e|note|make a note|take a note)( something| this for me)?:?
    // What people say about themselves is worth keeping even if they do not ask for it.
    @ 0.9
      (my name('s| is)|(you (can|may|should) )?call me) (?!(later|back|when|at|in|tomorrow|an?|the)\b)(?<name>\p{L}[\p{L}'. -]{0,60})
      (?-i:I('m| am) (?<name>\p{Lu}\p{Ll}+( \p{Lu}\p{Ll}+){0,2}))
    @ 0.85
      (?<content>I ${OFTEN}(like|love|enjoy|prefer|hate|dislike|adore|live|work|study|speak|drive|own|drink|eat|play|grew up|was born|moved|studied|believe in|can'?t stand|collect|teach|run a|have (an? |two |three |four |five |no |my own |\d+ )(?!question|problem|idea|request|task|favou?r))(?! (to know|you)\b)\b.*)
      (?<content>I('m| am) (allergic|vegetarian|vegan|from|married|born|left-handed|right-handed|colou?r-?blind|intolerant|afraid of|interested in|learning|a fan of|an? \p{L}+(er|or|ist|ian|ant|ent|eer|man|woman|parent|father|mother|student|nurse|teacher)\b|\d{1,3}( years old)?)\b.*)
      (?<content>(my|our) (?!question|to-?do|list|idea|problem|code|request|computer is|job is to)([\p{L}'-]+ ){1,4}(is|are|was|has|have|lives?|works?|likes?|loves?|hates?|prefers?|starts?|ends?) .+)
  `,
  // "Remember to …" is a task if there is a to-do list.
  accepts: ({ content = '' }, { tools }) => !/^to \p{L}/iu.test(content) || !tools.has('todo'),
  async *run(slots, scene) {
    const content = contentOf(slots, scene)
    if (content === '') return yield* speak('What should I remember?')
    const saved = yield call('memory_save', slots.name ? { content, importance: 0.8 } : { content })
    const { name } = slots
    yield say(name ? `Nice to meet you, ${name}. I will remember your name.` : compose(saved))
    return { title: 'what you told me', text: content }
  },
}

function contentOf({ content = '', name }: Slots, { material, ...scene }: Scene): string {
  if (name) return `My name is ${name}`
  if (!isBackReference(content)) return dated(unquote(content), scene)
  if (!material) return ''
  const { title, url, text } = material
  return clip(
    `${title}${url ? ` (${url})` : ''}: ${text.length > 600 ? summarise(text, { title }) : text}`,
    2000,
  )
}

/** "What do you know about me" names nothing that could be searched for, so common facts are searched for. */
const ABOUT_OWNER =
  'my name, birthday, family, sister, brother, favourite, allergic, I like, I live, I work, I prefer'

export const recall: Intent = {
  title: 'Recall',
  tools: ['memory_search'],
  examples: ['what do you remember about tea', "what's my name"],
  rules: grammar`
    @ 0.9
      (tell me |show me )?what( all| else)? ((do|did|can) )?you (know|remember|recall|have)( saved| stored| noted| in memory)?( about| of| on| for| regarding)?( (?<query>.+))?
      what( did| have|'?ve)? I (tell|told|say|said|mention(ed)?|ask(ed)?)( you)?( to remember)?( about| on| regarding)? ?(?<query>.*)
      (do|can|could) you (still |even )?(remember|recall) (that |about )?(?<query>.+)
      remember (?<query>(when|what|who|where|how) .+)
      (search|check|look (in|into|through|up)|query)( in| through| up)?( your| my| the)? memor(y|ies)( for| about| on)? (?<query>.+)
      (search|look|find|check)( for| up)? (?<query>.+?) in (your |my |the )?memor(y|ies)
      (recall|remind me) (again )?(?<query>(what|who|where|when|which|how|why|whose) .+)
      recall (?<query>.+)
      (tell me )?(everything|all|anything) you (know|remember)( about)? ?(?<query>.*)
      (show|list)( me)? (all )?(my |your |the )?memories( about| of)? ?(?<query>.*)
    // Questions about the owner's own life, which only memory can answer.
    @ 0.7
      (?<query>(what|who|where|when|which|whose|how (old|many|much|tall|long|often))\b(?!.*\b(can|should|could|would) I\b)(?! (is|'s) my (ip|todo|to-do)).*\b(I|my|mine|me|our)\b.*)
      (?<query>(do|did|am|have|was) I (like|love|enjoy|prefer|have|own|live|work|drink|eat|allergic|vegetarian|vegan|married|born|ever|hate|dislike|speak|told|tell|already)\b.*)
      (do you know|tell me|say) (?<query>(what|who|where|when|which|how old) .*\b(I|my|mine)\b.*|my \p{L}+( \p{L}+){0,3})
  `,
  async *run(slots, scene) {
    const query = cleanQuery(slots.query ?? '')
    const found = yield call('memory_search', query ? { query, limit: 5 } : { query: ABOUT_OWNER, limit: 20 })
    const stated = contentsOf(found).filter((content) => isStated(content, scene))
    yield say(composeRecall(stated, query))
    return { title: 'what I remember', text: stated.join('\n') }
  },
}

function cleanQuery(query: string): string {
  const clean = query.replace(/^(?:that|about|of)\s+/i, '').replace(/(?<![\s?.!])[\s?.!]+$/, '')
  if (/^who am I$/i.test(clean)) return 'my name'
  return /^(?:me|myself|about me|who I am|everything|it all|so far)?$/i.test(clean) ? '' : clean
}

const contentsOf = (found: Outcome): string[] =>
  rows(found.output, 'results')
    .map((row) => textField(row, 'content'))
    .filter(Boolean)

const NOTHING_GENERAL =
  'Nothing came up. Ask about something, such as "what do you know about my sister"; the Memory page lists everything.'

/** Whether a memory is a statement: a question or an order that was remembered answers nothing. */
export function isStated(content: string, scene: Scene): boolean {
  const found = bestMatch(content, scene)
  const isOrder =
    isSure(found) && found.intent !== remember && !/^(?:remember|name)$/.test(found.match.slots.kind ?? '')
  return !isOrder && !/[?？]\s*$/.test(content)
}

/**
 * The memories that answer the question, addressed to the owner; the reply says so if none mentions the
 * subject.
 */
function composeRecall(contents: readonly string[], query: string): string {
  if (contents.length === 0) return query ? `I found nothing in memory about "${query}".` : NOTHING_GENERAL
  const scored = contents.map((content) => ({ content, fit: query ? similarWords(query, content) : 1 }))
  const fitting = scored.filter(({ fit }) => fit >= 0.5).sort((left, right) => right.fit - left.fit)
  if (fitting.length === 0 && stems(query).length > 0)
    return `Nothing in memory says so directly. The closest:\n\n${bullets(contents.slice(0, 3))}`
  const shown = fitting.length > 0 ? fitting.map(({ content }) => content) : contents
  return shown.length === 1
    ? `You told me: ${ended(toOwner(shown[0] ?? ''))}`
    : `From memory:\n\n${bullets(shown)}`
}

const bullets = (contents: readonly string[]): string =>
  contents.map((content) => `- ${toOwner(content)}`).join('\n')

/** A memory, addressed to its owner. */
function toOwner(content: string): string {
  const short = clip(content, 300)
  return /^(?:I|my|our)\b/i.test(short) ? toSecondPerson(short) : short
}

const NO_KNOWLEDGE = 'I cannot answer that from knowledge: I carry no learned facts, only rules and tools.'

/** Questions that no rule knows. Memory may hold the answer; if it does not, the reply says so. */
export const knowledge: Intent = {
  tools: [],
  examples: [],
  rules: grammar`
    @ 0.3
      (?<query>(what|who|whom|whose|where|when|why|how|which|is|are|was|were|does|do|did|can|could|should|will|would|has|have|explain|define|describe|tell me|teach me|give me|compare)\b.* .*)
  `,
  async *run({ query = '' }, scene) {
    const passage = passageFor(query, scene)
    if (passage) return yield* speak(passage)
    if (!scene.tools.has('memory_search') || stems(query).length === 0)
      return yield* speak(`${NO_KNOWLEDGE} ${ADD_PROVIDER}`)
    const found = yield call('memory_search', { query, limit: 5 }, handled)
    // Only a memory that names everything that was asked for counts as an answer.
    const answers = found.failed ? [] : contentsOf(found).filter((text) => similarWords(query, text) >= 0.99)
    const known = answers.slice(0, 3).map(toOwner).join('; ')
    const none = `${NO_KNOWLEDGE} Nothing in memory answers it either. ${ADD_PROVIDER}`
    return yield* speak(known ? `From memory: ${known}` : none)
  },
}

/** What the last page or file read says about a question; empty unless it mentions most of what was asked. */
function passageFor(query: string, scene: Scene): string {
  const { title, url } = scene.material ?? { title: '' }
  if (url && /\btitle\b/i.test(query)) return `The title of ${url} is "${title}".`
  const passage = quotesFor(query, scene)
  return passage ? `${title} says:\n\n${passage}` : ''
}

/** The sentences of the last page or file read that mention most of what was asked, quoted; empty if none does. */
export function quotesFor(query: string, { material }: Scene): string {
  if (!material || stems(query).length < 2 || material.title === 'my last answer') return ''
  const scored = sentences(material.text).map((sentence) => ({
    sentence,
    fit: similarWords(query, sentence),
  }))
  const best = scored.sort((left, right) => right.fit - left.fit).filter(({ fit }) => fit >= 0.5)
  const quotes = best.slice(0, 2).map(({ sentence }) => clip(sentence, 400))
  return quotes.length > 0 ? quoted(quotes.join('\n')) : ''
}
