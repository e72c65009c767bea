import { type PlannedTask, planOffline } from '../plan.ts'
import { joinList } from '../text.ts'
import { type Intent, type IntentMatch, matched, say } from '../types.ts'

const SHAPES: readonly RegExp[] = [
  /^(?:(?:make|create|draw up|write|draft|give me|help me|I need|let'?s|suggest)\s+)?(?:me )?(?:an? |the |to )?plan\b(?!s\b| mode)(?: for| to| how to| of| out| my way to)?\s*:?\s*(?<goal>[\s\S]+)$/i,
  /^(?:break|split|divide)(?: down| up)?\s+(?<goal>[\s\S]+?)(?:\s+(?:down |up )?(?:in|into)(?: \w+)? (?:steps|tasks|parts))$/i,
  /^(?:break|split|divide)(?: down| up)\s+(?<goal>[^:\n]+:[\s\S]+)$/i,
  /^(?:break down|organi[sz]e|order|sequence)(?: (?:these|the following|my)(?: steps| tasks)?)?\s*:\s*(?<goal>[\s\S]+)$/i,
  /^(?:turn|make) (?<goal>[\s\S]+?) (?:into )?a plan$/i,
]

export const plan: Intent = {
  name: 'plan',
  title: 'Plan',
  tools: [],
  examples: [
    'plan a trip to Rome: book flights, find a hotel, then pack',
    'plan: first write the spec. Then build it. Finally test it.',
  ],
  content: true,
  match(text) {
    if (/^(?:make |create )?(?:an? )?plan$/i.test(text)) return matched(0.8)
    for (const shape of SHAPES) {
      const goal = shape.exec(text)?.groups?.goal
      if (goal) return slotsOf(goal, text)
    }
    return null
  },
  async *run({ slots }, scene) {
    if (!slots.goal) {
      yield say('Which goal should I plan?')
      return undefined
    }
    const { summary, tasks } = planOffline(slots.goal)
    if (tasks.length < 2) {
      yield say(
        `I can order steps, but not invent them.\nWhich steps does "${summary}" take? Write them with commas and "then".`,
      )
      return undefined
    }
    const written = `${summary}\n\n${tasks.map(line).join('\n')}`
    const offer = scene.tools.has('project')
      ? `\n\nShall I create the project "${summary.replaceAll('"', "'")}"?`
      : ''
    yield say(`Here is the plan, in your own steps. ${written}${offer}`)
    return { title: summary, text: written }
  },
}

function slotsOf(goal: string, text: string): IntentMatch {
  return { ...matched(0.9, { goal: goal.trim() }), whole: !/^what\b/i.test(text) }
}

function line({ title, depends_on }: PlannedTask, index: number): string {
  const after =
    depends_on.length > 0 ? ` (after ${joinList(depends_on.map((position) => String(position + 1)))})` : ''
  return `${index + 1}. ${title}${after}`
}
