import type { Trust } from '../schema.ts'
import { owner } from './facts.ts'
import type { Named } from './mentions.ts'
import { predicateOf } from './predicates.ts'
import { verbBetween } from './verb-between.ts'

export interface Found {
  subject: string
  type: string
  object: string
  /** The sentence says that it is so no longer. */
  over: boolean
}

interface Speaker {
  trust: Trust
  entities: readonly Named[]
}

const NAME = "\\p{Lu}[\\p{L}\\p{N}'’&-]*"
const NAMES = `${NAME}(?:\\s+(?:(?:of|de|van|von|der|la)\\s+)?${NAME}){0,3}`
const SUBJECT = `(?<subject>\\bI|\\b[Tt]he (?:user|owner)|\\b(?!The\\b|If\\b|When\\b|I\\b)${NAMES})`
const HOW =
  "(?:\\s+(?:now|currently|still|also|really|just|recently|has|have|had|'ve|'m|is|am|are|was|were))*"
const NOT = `(?<over>\\s+(?:no longer|left|quit|stopped))?`
const NAMED = `(?:the\\s+|an?\\s+)?(?<object>${NAMES})`
const THING = `(?:the\\s+|an?\\s+|my\\s+|to\\s+)?(?<object>[\\p{L}\\p{N}][\\p{L}\\p{N}'’&-]*(?:\\s+(?!and\\b|but\\b|or\\b|because\\b|since\\b|when\\b|in\\b|on\\b|at\\b|for\\b|from\\b|until\\b|more\\b|than\\b|over\\b|to\\b)[\\p{L}\\p{N}'’&-]+){0,3})`

/** Words for a kind of fact, and what may follow them. */
const table: readonly (readonly [type: string, words: string, object: string])[] = [
  ['lives_in', 'lives?\\s+in|living\\s+in|resides?\\s+in|moved\\s+(?:back\\s+)?to', NAMED],
  ['works_at', 'works?\\s+(?:at|for)|working\\s+(?:at|for)|employed\\s+(?:by|at)|joined', NAMED],
  ['has_role', 'works?\\s+as|working\\s+as', THING],
  ['married_to', 'married(?:\\s+to)?', NAMED],
  ['based_in', 'based\\s+in|headquartered\\s+in', NAMED],
  ['reports_to', 'reports?\\s+to', NAMED],
  ['led_by', 'led\\s+by|managed\\s+by', NAMED],
  ['likes', 'likes?|loves?|enjoys?', THING],
  ['prefers', 'prefers?', THING],
  ['dislikes', 'dislikes?|hates?', THING],
  ['uses', 'uses?|using', THING],
  ['owns', 'owns?', THING],
  ['speaks', 'speaks?', NAMED],
  ['plays', 'plays?', THING],
  ['allergic_to', 'allergic\\s+to', THING],
]

const rules = table.map(([type, words, object]) => ({
  type,
  pattern: new RegExp(`${SUBJECT}${NOT}${HOW}\\s+(?:${words})\\s+${object}`, 'u'),
}))

/** What was so: it is over, with or without a date. */
const past = new RegExp(`${SUBJECT}\\s+(?<verb>worked\\s+(?:at|for)|lived\\s+in)\\s+${NAMED}`, 'u')
const left = new RegExp(`${SUBJECT}${HOW}\\s+(?:left|quit|resigned\\s+from)\\s+${NAMED}`, 'u')
const kin = new RegExp(
  `\\b[Mm]y\\s+(?<type>wife|husband|partner|sister|brother|mother|father|son|daughter|boss|friend|dog|cat)(?:'s\\s+name)?(?:\\s+is(?:\\s+called)?)?,?\\s+(?<object>${NAMES})`,
  'u',
)
const status = new RegExp(
  `(?<subject>(?:[Pp]roject\\s+)?\\b${NAMES}(?:\\s+project)?)\\s+is(?:\\s+now)?\\s+(?<object>done|finished|complete|completed|cancelled|canceled|paused|blocked|delayed|active|in\\s+progress|on\\s+hold|live|released)\\b`,
  'u',
)

/** Nothing is stated here. */
const unsure =
  /\?|\b(?:if|would|could|might|maybe|perhaps|should|wish|hope|unless|whether|not|never|neither)\b|n['’]t\b/i

/** Kinds that a date in the sentence dates; "likes" is not from the day on which it was told. */
export const isTimed = (type: string): boolean =>
  !['likes', 'prefers', 'dislikes', 'speaks', 'allergic_to'].includes(type)

/** Who does what to whom in one English sentence. */
export async function factsOfSentence(sentence: string, speaker: Speaker): Promise<Found[]> {
  if (unsure.test(sentence)) return []
  const found = [...byTable(sentence), ...special(sentence)].flatMap((one) => withOwner(one, speaker.trust))
  if (found.length > 0) return found
  return verbBetween(sentence, speaker.entities)
}

type Groups = Record<string, string | undefined>

function byTable(sentence: string): Found[] {
  return rules.flatMap(({ type, pattern }) => {
    const groups: Groups | undefined = pattern.exec(sentence)?.groups
    if (!groups?.subject || !groups.object) return []
    return [{ subject: groups.subject, type, object: groups.object, over: groups.over !== undefined }]
  })
}

function special(sentence: string): Found[] {
  const gone: Groups | undefined = left.exec(sentence)?.groups
  const was: Groups | undefined = past.exec(sentence)?.groups
  const kinship: Groups | undefined = kin.exec(sentence)?.groups
  const state: Groups | undefined = status.exec(sentence)?.groups
  return [
    ...(gone?.subject && gone.object
      ? [{ subject: gone.subject, type: 'works_at', object: gone.object, over: true }]
      : []),
    ...(was?.subject && was.verb && was.object
      ? [
          {
            subject: was.subject,
            type: was.verb.startsWith('w') ? 'works_at' : 'lives_in',
            object: was.object,
            over: true,
          },
        ]
      : []),
    ...(kinship?.type && kinship.object
      ? [{ subject: 'I', type: predicateOf(`has ${kinship.type}`), object: kinship.object, over: false }]
      : []),
    ...(state?.subject && state.object
      ? [{ subject: state.subject, type: 'has_status', object: state.object, over: false }]
      : []),
  ]
}

/** "I" is the owner only in the owner's own words; an agent speaks of "the user", and a stranger of neither. */
function withOwner(found: Found, trust: Trust): Found[] {
  if (found.subject === 'I') return trust === 'owner' ? [{ ...found, subject: owner.name }] : []
  if (/^the (?:user|owner)$/i.test(found.subject))
    return trust === 'external' ? [] : [{ ...found, subject: owner.name }]
  return [found]
}
