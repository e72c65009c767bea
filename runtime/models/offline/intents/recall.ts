import { composeFailure } from '../failure.ts'
import { lacks } from '../notice.ts'
import { rows, textField } from '../outcome.ts'
import { clip, similarWords, stems, toSecondPerson } from '../text.ts'
import { call, type Intent, matchAny, type Outcome, say } from '../types.ts'

const ASKED: readonly RegExp[] = [
  /^(?:tell me |show me )?what(?: all| else)? (?:(?:do|did|can) )?you (?:know|remember|recall|have)(?: saved| stored| noted| in memory)?(?: about| of| on| for| regarding)?(?: (?<query>.+))?$/i,
  /^what(?: did| have|'?ve)? I (?:tell|told|say|said|mention(?:ed)?|ask(?:ed)?)(?: you)?(?: to remember)?(?: about| on| regarding)? ?(?<query>.*)$/i,
  /^(?:do|can|could) you (?:still |even )?(?:remember|recall) (?:that |about )?(?<query>.+)$/i,
  /^remember (?<query>(?:when|what|who|where|how) .+)$/i,
  /^(?:search|check|look (?:in|into|through|up)|query)(?: in| through| up)?(?: your| my| the)? memor(?:y|ies)(?: for| about| on)? (?<query>.+)$/i,
  /^(?:search|look|find|check)(?: for| up)? (?<query>.+?) in (?:your |my |the )?memor(?:y|ies)$/i,
  /^(?:recall|remind me) (?:again )?(?<query>(?:what|who|where|when|which|how|why|whose) .+)$/i,
  /^recall (?<query>.+)$/i,
  /^(?:tell me )?(?:everything|all|anything) you (?:know|remember)(?: about)? ?(?<query>.*)$/i,
  /^(?:show|list)(?: me)? (?:all )?(?:my |your |the )?memories(?: about| of)? ?(?<query>.*)$/i,
]

/** Questions about the owner's own life: only memory can know. */
const PERSONAL: readonly RegExp[] = [
  /^(?<query>(?:(?:what|who|where|when|which|whose|how (?:old|many|much|tall|long|often))\b(?!.*\b(?:can|should|could|would) I\b)(?! (?:is|'s) my (?:ip|todo|to-do))).*\b(?:I|my|mine|me|our)\b.*)$/i,
  /^(?<query>(?:do|did|am|have|was) I (?:like|love|enjoy|prefer|have|own|live|work|drink|eat|allergic|vegetarian|vegan|married|born|ever|hate|dislike|speak|told|tell|already)\b.*)$/i,
  /^(?:do you know|tell me|say) (?<query>(?:what|who|where|when|which|how old) .*\b(?:I|my|mine)\b.*|my \p{L}+(?: \p{L}+){0,3})$/iu,
]

/** "What do you know about me" names nothing that could be searched for, so usual facts are. */
const ABOUT_OWNER = 'my name, I like, I live, I work, I prefer, my family'

export const recall: Intent = {
  name: 'recall',
  title: 'Recall',
  tools: ['memory_search'],
  examples: ['what do you remember about tea', "what's my name"],
  match(text) {
    return matchAny(text, 0.9, ASKED) ?? matchAny(text, 0.7, PERSONAL)
  },
  async *run({ slots }, scene) {
    if (!scene.tools.has('memory_search')) {
      yield say(lacks('memory_search'))
      return undefined
    }
    const query = cleanQuery(slots.query ?? '')
    const found = yield call('memory_search', { query: query || ABOUT_OWNER, limit: 5 })
    yield say(composeRecall(found, query))
    return {
      title: 'what I remember',
      text: rows(found.output, 'results')
        .map((row) => textField(row, 'content'))
        .join('\n'),
    }
  },
}

function cleanQuery(query: string): string {
  const clean = query.replace(/^(?:that|about|of)\s+/i, '').replace(/[\s?.!]+$/, '')
  if (/^who am I$/i.test(clean)) return 'my name'
  return /^(?:me|myself|about me|who I am|everything|it all|so far)?$/i.test(clean) ? '' : clean
}

/** The memories that answer, said back to the owner; when none names the subject, that is said. */
export function composeRecall(found: Outcome, query: string): string {
  if (found.failed) return composeFailure(found)
  const contents = rows(found.output, 'results')
    .map((row) => textField(row, 'content'))
    .filter(Boolean)
  if (contents.length === 0) return `I found nothing in memory${query ? ` about "${query}"` : ''}.`
  const scored = contents.map((content) => ({
    content,
    fit: query === '' ? 1 : similarWords(query, content),
  }))
  const fitting = scored.filter(({ fit }) => fit >= 0.5).sort((left, right) => right.fit - left.fit)
  const subject = stems(query).length > 0 && query !== ''
  if (fitting.length === 0 && subject)
    return `Nothing in memory says so directly. The closest:\n\n${bullets(contents.slice(0, 3))}`
  const shown = fitting.length > 0 ? fitting.map(({ content }) => content) : contents
  return shown.length === 1 ? `You told me: ${toldBack(shown[0] ?? '')}` : `From memory:\n\n${bullets(shown)}`
}

function bullets(contents: readonly string[]): string {
  return contents.map((content) => `- ${toldBack(content)}`).join('\n')
}

/** A memory as it is said to its owner. */
export function toldBack(content: string): string {
  const short = clip(content, 300)
  return /^(?:I|my|our)\b/i.test(short) ? toSecondPerson(short) : short
}
