import { type Entity, extractEntities } from '../extract.ts'
import { type PlannedTask, planOffline } from '../plan.ts'
import { readSource } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { capitalise, joinList, quoted, unquote } from '../text.ts'
import { grammar, type Intent, say, speak } from '../types.ts'

export const summariseText: Intent = {
  title: 'Summarise',
  tools: [],
  examples: ['summarise: (your text)', 'summarise notes.md'],
  content: true,
  rules: grammar`
    @ 0.85; it: yes
      (and )?what (does|do|did) (it|this|that|they|the (page|text|article|file|site|document)) say( about (?<focus>.+))?
    // Long or pasted text is never split.
    @ 0.85; whole: \n|^\S+( \S+){0,4}:|^(\S+\s+){26}
      (summari[sz]e|sum up|shorten|condense|tl;?dr|boil down|(give me |write |make )?(an? |the )?(short |brief |quick )?(summary|gist|key points|main points)( of)?|what('s| is| are) the (gist|summary|main points?|key points?)( of)?)\b(\s*:)?\s*(?!(everything|what) (you|I)\b)(?<rest>.*)
  `,
  accepts: ({ it }, { material, attachments }) => !it || !!material || attachments.length > 0,
  async *run({ rest = '', focus = '' }, scene) {
    const material = yield* readSource(rest, scene)
    if (typeof material === 'string') return yield* speak(material || noText(scene.unreadable))
    const summary = summarise(material.text, { title: material.title, focus })
    const same = summary.length >= material.text.trim().length * 0.95
    yield say(
      `${same ? 'It is short already' : `The main sentences of ${material.title}`}:\n\n${quoted(summary)}`,
    )
    return { ...material, text: summary }
  },
}

const noText = (unreadable: readonly string[]): string =>
  unreadable.length > 0
    ? `I can read texts and documents only, so I cannot open ${joinList(unreadable)}.`
    : 'Which text should I summarise? Paste it, or name a file or a web address.'

const THINGS =
  'named entities|entities|names|proper nouns|people|persons|places|locations|companies|organi[sz]ations|urls|links|projects and people'
const KINDS: readonly [RegExp, string][] = [
  [/people|person/i, 'person'],
  [/place|location/i, 'place'],
  [/compan|organi/i, 'organization'],
  [/url|link/i, 'url'],
]

export const extract: Intent = {
  title: 'Find names in a text',
  tools: [],
  examples: ['extract entities: Anna met Tim Cook in Berlin', 'who is mentioned in it'],
  content: true,
  rules: grammar`
    @ 0.92; whole: :|\n
      (extract|find|list|pull out|identify|get|show|name|give me|tell me|recogni[sz]e)( me)?( all)?( the| of the)?( \w+)? ?(?<kind>${THINGS})((,| and) (the )?(${THINGS}))*( (that are )?(mentioned|named|occurring))?(\s*(in|from|of|out of|:)\s*(?<rest>.*))?
      (who|what|which (?<kind>people|places|companies|organi[sz]ations))( all)? (is|are|was|were|gets?) (mentioned|named)( here)?( in)?:?\s*(?<rest>.*)
  `,
  async *run({ rest = '', kind = '' }, scene) {
    const material = yield* readSource(rest, scene)
    const none = 'Which text should I read for names? Paste it, or name a file or a web address.'
    if (typeof material === 'string') return yield* speak(material || none)
    const wanted = KINDS.find(([pattern]) => pattern.test(kind))?.[1]
    const entities = await extractEntities(material.text)
    yield say(
      namesFound(
        entities.filter(({ type }) => !wanted || type === wanted),
        material.title,
      ),
    )
    return material
  },
}

/** "Person: Anna, Tim Cook", one line for each type. */
export function namesFound(entities: readonly Entity[], title: string): string {
  const byType = Map.groupBy(entities, ({ type }) => type)
  const lines = [...byType].map(
    ([type, found]) => `- ${capitalise(type)}: ${found.map(({ name }) => name).join(', ')}`,
  )
  return lines.length > 0 ? `Named in ${title}:\n\n${lines.join('\n')}` : `I found no such names in ${title}.`
}

export const plan: Intent = {
  title: 'Plan',
  tools: [],
  examples: [
    'plan a trip to Rome: book flights, find a hotel, then pack',
    'plan: first write the spec. Then build it. Finally test it.',
  ],
  content: true,
  rules: grammar`
    @ 0.91; ask: Which goal should I plan?
      (make |create )?(an? )?plan
    @ 0.9; whole: ^(?!what\b)
      ((make|create|draw up|write|draft|give me|help me|I need|let'?s|suggest)\s+)?(me )?(an? |the |to )?plan\b(?!s\b| mode)( for| to| how to| of| out| my way to)?\s*:?\s*(?<goal>.+)
      (break|split|divide)( down| up)?\s+(?<goal>.+?)(\s+(down |up )?(in|into)( \w+)? (steps|tasks|parts))
      (break|split|divide)( down| up)\s+(?<goal>[^:\n]+:.+)
      (break down|organi[sz]e|order|sequence)( (these|the following|my)( steps| tasks)?)?\s*:\s*(?<goal>.+)
      (turn|make) (?<goal>.+?) (into )?a plan
  `,
  async *run({ goal = '' }, scene) {
    const { summary, tasks } = planOffline(goal)
    if (tasks.length < 2)
      return yield* speak(
        `I can order steps, but not invent them.\nWhich steps does "${summary}" take? Write them with commas and "then".`,
      )
    const written = `${summary}\n\n${tasks.map(planLine).join('\n')}`
    const question = `\n\nShall I create the project "${summary.replaceAll('"', "'")}"?`
    yield say(`Here is the plan, in your own steps. ${written}${scene.tools.has('project') ? question : ''}`)
    return { title: summary, text: written }
  },
}

function planLine({ title, depends_on }: PlannedTask, index: number): string {
  const before = joinList(depends_on.map((position) => String(position + 1)))
  return `${index + 1}. ${title}${before && ` (after ${before})`}`
}

/** Says a given text: the goal of many scheduled jobs. */
export const echo: Intent = {
  tools: [],
  examples: ['say "good morning"'],
  content: true,
  rules: grammar`
    @ 0.75; whole: ["':]
      (repeat|echo)( after me| this| back)?[:,]?\s+(?<text>.+)
      (say|reply|respond|answer)( to me)?( exactly| only| just)*( with)?( exactly| only| just)*( (the|this)( single| one| exact)? (word|words|text|sentence|message))?:?\s+(?<text>"[^"]+"|'[^']+'|[^\n]{1,200})
  `,
  run: ({ text = '' }) => speak(unquote(text)),
}
