import { clip, sentences, VERBS } from '../../english/text.ts'
import { capitalized } from '../../label.ts'
import type { Reply } from './reply.ts'
import { cue } from './text.ts'

export interface PlannedTask {
  title: string
  /** Positions, from 0, of the tasks that come first. */
  depends_on: number[]
}

/** How a step relates to the earlier ones: after all of them, parallel to them, or in the same group as the last. */
type Relation = 'after' | 'parallel' | 'with'

interface Part {
  text: string
  relation: Relation
}

const MAX_TASKS = 100

/**
 * Splits a goal into tasks by its text: lists, sentences, commas, "then", "meanwhile". It adds nothing of its own; a
 * goal of one step gives one task, an empty one none.
 */
export function planOffline(goal: string): { summary: string; tasks: PlannedTask[] } {
  const { head, body } = splitHead(
    goal
      .replace(/[^\S\n]+/g, ' ')
      .trim()
      .replace(cue('plan_opening'), ''),
  )
  const parts = partsOf(body).filter((part) => /[\p{L}\p{N}]/u.test(part.text))
  if (parts.length === 0) return { summary: '', tasks: [] }
  const subject = (head || (sentences(withoutMark(body))[0] ?? '')).replace(cue('plan_verb'), '')
  return { summary: titleOf(subject.split('\n')[0] ?? ''), tasks: linked(parts.slice(0, MAX_TASKS)) }
}

const withoutMark = (line: string): string => line.replace(cue('numbered'), '').replace(cue('bullet'), '')
const titleOf = (text: string): string => clip(capitalized(text.trim().replace(/(?<![\s,;:.!?])[\s,;:.!?]+$/, '')), 200)

/** "Plan a trip: a, b, then c" has its subject before the colon; a first line over a list likewise. */
function splitHead(text: string): { head: string; body: string } {
  const lines = text.split('\n')
  const list = lines.findIndex((line) => cue('numbered').test(line) || cue('bullet').test(line))
  if (list > 0) return { head: lines.slice(0, list).join(' '), body: lines.slice(list).join('\n') }
  const [, head = '', body] = (list < 0 && /^([^:\n.!?]{2,120}):\s+(?!\/\/)([\s\S]+)$/.exec(text)) || []
  return body ? { head, body } : { head: '', body: text.replace(cue('plan_verb'), '') }
}

function partsOf(body: string): Part[] {
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  const inline = body.split(/(?:^|[ \n,;])\(?\d{1,4}[.)] /).filter((item) => item.trim() !== '')
  if (lines.length === 1 && inline.length > 1 && /^\s*\(?1[.)]\s/.test(body))
    return inline.map((item) => partOf(item, 'after'))
  if (lines.some((line) => cue('numbered').test(line) || cue('bullet').test(line)))
    return lines.map((line) => partOf(withoutMark(line), cue('numbered').test(line) ? 'after' : 'parallel'))
  const all = sentences(body.replace(/\n/g, '. '))
  return all.flatMap((sentence) => partsOfSentence(sentence, all.length > 1 ? 'after' : 'parallel'))
}

/** Sentences follow each other; the items of one sentence are parallel until a "then". */
function partsOfSentence(sentence: string, first: Relation): Part[] {
  const pieces = sentence
    .replace(/(?<![.!?])[.!?]+$/, '')
    .split(cue('step_end'))
    .flatMap((piece) => join(piece.split(/ and (?=[a-z])/i), ' and ', (part) => !VERBS.has(verbOf(part))))
  // "Buy milk, eggs and bread" is one task: an item without a verb belongs to the one before it.
  const items = pieces.some(startsWithVerb)
    ? join(
        pieces,
        ', ',
        (piece, last) => cue('condition').test(last) || !(cue('in_sequence').test(piece) || startsWithVerb(piece)),
      )
    : pieces
  return items.map((item, index) => partOf(item, index === 0 ? first : 'with'))
}

/** Merges each item that belongs to the previous one with it. */
function join(items: string[], joint: string, belongs: (item: string, last: string) => boolean): string[] {
  const parts: string[] = []
  for (const item of items) {
    const last = parts.at(-1)
    if (last !== undefined && belongs(item, last)) parts[parts.length - 1] = last + joint + item
    else parts.push(item)
  }
  return parts
}

const verbOf = (text: string): string => (/^[a-z]+/i.exec(text)?.[0] ?? '').toLowerCase()
const withoutCue = (item: string) =>
  item.replace(cue('at_first'), '').replace(cue('in_sequence'), '').replace(cue('in_parallel'), '')

function startsWithVerb(piece: string): boolean {
  const text = withoutCue(piece)
  const withObject = /^\p{Ll}{3,} (?:the|an?|my|our|your|his|her|their|all|some|each|every|it|them)\b/u
  return cue('condition').test(text) || VERBS.has(verbOf(text)) || withObject.test(text)
}

function partOf(item: string, otherwise: Relation): Part {
  const text = item.trim()
  const relation = cue('in_sequence').test(text) ? 'after' : cue('in_parallel').test(text) ? 'with' : otherwise
  return { text: withoutCue(text).trim(), relation }
}

/** Each `after` waits for the whole group before it; a group is a set of parallel steps. */
function linked(parts: readonly Part[]): PlannedTask[] {
  let [previous, group]: [number[], number[]] = [[], []]
  return parts.map(({ text, relation }, index) => {
    if (relation === 'after' && group.length > 0) [previous, group] = [group, []]
    group.push(index)
    return { title: titleOf(text), depends_on: [...previous] }
  })
}

/** If the caller wants a plan, the call that submits one: one phase with the steps of the goal. */
export function planCall(tools: readonly { name: string }[], goal: string): Reply | null {
  const name = 'submit_plan'
  if (!tools.some((tool) => tool.name === name)) return null
  const { summary, tasks } = planOffline(goal)
  if (tasks.length === 0) return { text: 'The goal names nothing that can be done.', calls: [] }
  const steps = tasks.map(({ title, depends_on }, index) => {
    return { ref: `t${index + 1}`, title, depends_on: depends_on.map((other) => `t${other + 1}`) }
  })
  const assumptions = ['Made by the offline model: it splits the text into steps and adds nothing.']
  const input = { summary: summary || tasks[0]?.title, assumptions, phases: [{ name: 'Work', tasks: steps }] }
  return { text: '', calls: [{ key: 'c0s0', name, input }] }
}
