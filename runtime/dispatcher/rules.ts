import cues from './cues.json' with { type: 'json' }
import type { Candidate } from './schema.ts'

/** Folded text: lower case, without accents, `ß` as `ss`, straight apostrophes, single spaces. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[’‘`´]/g, "'")
    .replace(/\s+/g, ' ')
    .trim()

/** Characters of a sentence that rules read. The beginning says what a text is for. */
const maxText = 600
/** Longer than this, a text that begins with a greeting is about something else. */
const maxGreeting = 60
/** Longer than this, a text that names a setting without a verb for changing it is about something else. */
const maxWish = 30

type Cue = keyof typeof cues

/** The whole words of a cue, compiled when it is first used. */
const compiled = new Map<Cue, RegExp>()
function patternOf(cue: Cue): RegExp {
  const pattern =
    compiled.get(cue) ?? new RegExp(`(?<![\\p{L}\\p{N}])(?:${cues[cue]})(?![\\p{L}\\p{N}])`, 'u')
  compiled.set(cue, pattern)
  return pattern
}

type Test = (text: string) => boolean

const has =
  (...all: Cue[]): Test =>
  (text) =>
    all.every((cue) => patternOf(cue).test(text))
const asks = has('asks')
const unlessAsked =
  (...all: Cue[]): Test =>
  (text) =>
    has(...all)(text) && !asks(text)
const either =
  (...tests: Test[]): Test =>
  (text) =>
    tests.some((test) => test(text))
const unlessEnded =
  (test: Test): Test =>
  (text) =>
    test(text) && !has('ends_asking')(text)

const pages = (Object.keys(cues) as Cue[]).filter((name) => name.startsWith('/'))
const pageIn = (text: string) => pages.find((page) => patternOf(page).test(text))

/** The page of the settings that a sentence names. */
export const settingsPage = (sentence: string): string =>
  pageIn(fold(sentence.slice(0, maxText))) ?? '/settings'

/** The sentence names a setting and hardly anything else: "Set my time zone to Tokyo", not "Add a password to the file". */
function isSetting(text: string): boolean {
  const page = pageIn(text)
  if (page === undefined) return false
  const rest = text.replace(patternOf(page), ' ').replace(new RegExp(patternOf('around_setting'), 'gu'), ' ')
  if ((rest.match(/[\p{L}\p{N}]+/gu) ?? []).length > 1) return false
  return has('changes')(text) || (text.length <= maxWish && !asks(text) && !has('orders')(text))
}

export interface RuleMatch extends Candidate {
  reason: string
}

const rule = (intent: Candidate['intent'], confidence: number, reason: string, fits: Test) =>
  ({ intent, confidence, reason, fits }) as const

/** The first that fits decides. The confidence is how often it is right, by judgement. */
const rules = [
  rule('schedule', 0.95, 'It asks for a reminder', has('reminds')),
  rule(
    'loop',
    0.9,
    'It asks for work to be repeated until a condition is met',
    either(
      unlessAsked('repeats', 'until'),
      (text) => unlessAsked('until_done')(text) && !has('first_person')(text),
      unlessEnded(has('insists')),
    ),
  ),
  rule(
    'workflow',
    0.85,
    'It says what should happen on an event',
    unlessEnded(either(has('whenever'), has('condition'))),
  ),
  rule('schedule', 0.9, 'It names a recurring time', unlessAsked('recurs')),
  rule('schedule', 0.8, 'It names a later time', unlessAsked('later')),
  rule('schedule', 0.85, 'It asks to be notified at a time', unlessAsked('notifies', 'at_time')),
  rule('workflow', 0.85, 'It names a workflow', unlessAsked('automates')),
  rule('memory', 0.9, 'It asks to remember, recall or forget', has('remembers')),
  rule('settings', 0.85, 'It names a setting', isSetting),
  rule('browser', 0.9, 'It asks for a web page', unlessAsked('address')),
  rule('browser', 0.9, 'It asks for a screenshot', unlessAsked('screenshot')),
  rule('device', 0.85, 'It names a device', has('gadget', 'operates')),
  rule('project', 0.85, 'It describes a project', unlessAsked('builds', 'venture')),
  rule('project', 0.85, 'It describes a project', either(unlessAsked('whole_project'), unlessAsked('plans'))),
  rule('browser', 0.8, 'It asks for a web page', unlessAsked('goes', 'site')),
  rule('browser', 0.8, 'It asks for a click on a page', has('clicks')),
  rule('chat', 0.85, 'It is small talk', has('small_talk')),
  rule(
    'chat',
    0.9,
    'It is a greeting or thanks',
    (text) => text.length <= maxGreeting && has('greeting')(text),
  ),
  rule('question', 0.85, 'It is a question', asks),
  rule('memory', 0.7, 'It is a fact about the person', has('about_me')),
  rule('task', 0.8, 'It begins with an instruction', has('orders')),
]

/** The intent of an English sentence by its wording; null if no rule fits. */
export function matchRules(sentence: string): RuleMatch | null {
  const text = fold(sentence.slice(0, maxText))
  const request = text.replace(new RegExp(cues.opening, 'u'), '') || text
  const match = rules.find(({ fits }) => fits(request))
  return match ? { intent: match.intent, confidence: match.confidence, reason: match.reason } : null
}
