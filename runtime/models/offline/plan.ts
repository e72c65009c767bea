import { clip, sentences, VERBS } from '../../english/text.ts'
import type { Reply } from './reply.ts'
import { capitalise } from './text.ts'

export interface PlannedTask {
  title: string
  /** Positions, from 0, of the tasks that come first. */
  depends_on: number[]
}

export interface OfflinePlan {
  summary: string
  tasks: PlannedTask[]
}

/**
 * The relation of a step to the earlier ones: after all of them, parallel to them, or in the same group as
 * the last.
 */
type Relation = 'after' | 'parallel' | 'with'

interface Part {
  text: string
  relation: Relation
}

const MAX_TASKS = 100
const LEAD =
  /^(?:please |kindly |can you |could you |i (?:want|need|would like) (?:you )?to |help me (?:to )?|let'?s )+/i
const PLAN_VERB =
  /^(?:make |create |write |draft |give me |draw up )?(?:a |me a |the )?plan(?:ning)?(?: for| to| how to| of| out|:)?\s+/i
const SEQUENCE =
  /^(?:and |but )?(?:(?:then|next|after that|afterwards|later|finally|lastly|in the end|at last|subsequently|second(?:ly)?|third(?:ly)?|fourth(?:ly)?|last)\b(?! week| month| year)[\s,:]*)+/i
const FIRST = /^(?:first(?:ly)?(?: of all)?|to (?:begin|start)(?: with)?|start by|begin by)\b[\s,:]*/i
const TOGETHER =
  /^(?:and )?(?:(?:meanwhile|in parallel|at the same time|simultaneously|also|in addition|additionally)\b[\s,:]*)+/i
const NUMBERED = /^\s*(?:step\s*)?\d+[.):]\s+/i
const BULLET = /^\s*(?:[-*•–]|\[[ x]?\])\s+/i

/**
 * Splits a goal into tasks by its text: lists, sentences, commas, "then", "after", "before", "meanwhile".
 * It adds nothing of its own; a goal of one step gives one task, an empty one none.
 */
export function planOffline(goal: string): OfflinePlan {
  const text = goal.replace(/[^\S\n]+/g, ' ').trim()
  const { head, body } = splitHead(text.replace(LEAD, ''))
  const parts = partsOf(body)
    .filter((part) => /[\p{L}\p{N}]/u.test(part.text))
    .slice(0, MAX_TASKS)
  if (parts.length === 0) return { summary: '', tasks: [] }
  return {
    summary: summaryOf(head || (sentences(body.replace(NUMBERED, '').replace(BULLET, ''))[0] ?? '')),
    tasks: linked(parts),
  }
}

/** "Plan a trip: a, b, then c" has its subject before the colon; a first line over a list likewise. */
function splitHead(text: string): { head: string; body: string } {
  const lines = text.split('\n')
  const listStart = lines.findIndex((line) => NUMBERED.test(line) || BULLET.test(line))
  if (listStart > 0)
    return { head: lines.slice(0, listStart).join(' '), body: lines.slice(listStart).join('\n') }
  const colon = /^([^:\n.!?]{2,120}):\s+(?!\/\/)([\s\S]+)$/.exec(text)
  if (colon && listStart < 0) return { head: colon[1] ?? '', body: colon[2] ?? '' }
  return { head: '', body: text.replace(PLAN_VERB, '') }
}

function summaryOf(text: string): string {
  const subject = text
    .replace(LEAD, '')
    .replace(PLAN_VERB, '')
    .replace(/(?<![\s:.,;])[\s:.,;]+$/, '')
    .trim()
  return clip(capitalise(subject.split('\n')[0] ?? ''), 200)
}

function partsOf(body: string): Part[] {
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  const inline = body.split(/(?:^|[ \n,;])\(?\d{1,4}[.)] /).filter((item) => item.trim() !== '')
  if (lines.length === 1 && inline.length > 1 && /^\s*\(?1[.)]\s/.test(body))
    return inline.flatMap((item) => relate(item, 'after'))
  if (lines.some((line) => NUMBERED.test(line) || BULLET.test(line)))
    return lines.flatMap((line) =>
      relate(line.replace(NUMBERED, '').replace(BULLET, ''), NUMBERED.test(line) ? 'after' : 'parallel'),
    )
  const all = sentences(body.replace(/\n/g, '. '))
  return all.flatMap((sentence) => fromSentence(sentence, all.length > 1 ? 'after' : 'parallel'))
}

/** Sentences follow each other; the items of one sentence are parallel until a "then". */
function fromSentence(sentence: string, first: Relation): Part[] {
  const pieces = sentence
    .replace(/(?<![.!?])[.!?]+$/, '')
    .split(
      / ?; ?|,? (?:and |but )?(?=(?:then|after that|afterwards|finally|lastly|meanwhile|at the same time|in parallel)\b)| ?, ?(?:and )?/i,
    )
    .flatMap((piece) => join(piece.split(/ and (?=[a-z])/i), ' and ', (part) => !VERBS.has(base(part))))
  return rejoin(pieces).flatMap((item, index) => relate(item, index === 0 ? first : 'with'))
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

const CONDITION = /^(?:once|after|before|when|as soon as)\b/i

/** "Buy milk, eggs and bread" is one task: an item without a verb belongs to the one before it. */
const rejoin = (pieces: string[]): string[] =>
  pieces.some(startsWithVerb)
    ? join(
        pieces,
        ', ',
        (piece, last) => !SEQUENCE.test(piece) && (!startsWithVerb(piece) || CONDITION.test(last)),
      )
    : pieces

const withoutCue = (item: string) => item.replace(FIRST, '').replace(SEQUENCE, '').replace(TOGETHER, '')

function startsWithVerb(piece: string): boolean {
  const text = withoutCue(piece)
  return (
    CONDITION.test(text) ||
    VERBS.has(base(text)) ||
    /^\p{Ll}{3,} (?:the|an?|my|our|your|his|her|their|all|some|each|every|it|them)\b/u.test(text)
  )
}

/** Reads the cue words of one item; "a before b" and "after a, b" become two. */
function relate(item: string, otherwise: Relation): Part[] {
  const relation: Relation = SEQUENCE.test(item) ? 'after' : TOGETHER.test(item) ? 'with' : otherwise
  const text = withoutCue(item.trim()).trim()
  const [, condition = '', then] = /^(?:once|after|when|as soon as) (.+?), (?:then )?(.+)$/i.exec(text) ?? []
  // "After packing the bags, lock the door" has two tasks, "once the hotel is booked, tell Anna" one.
  if (then !== undefined && !/^(?:you )?[a-z]+ing\s/i.test(condition))
    return [{ text: then, relation: 'after' }]
  if (then !== undefined)
    return [
      { text: imperative(condition), relation },
      { text: then, relation: 'after' },
    ]
  const [, first = '', next = ''] = /^(?=.+$)(.+?) before (?:you )?([a-z]+ .+)$/i.exec(text) ?? []
  if (VERBS.has(base(next)) || /^[a-z]+ing\s/i.test(next))
    return [
      { text: first, relation },
      { text: imperative(next), relation: 'after' },
    ]
  return [{ text, relation }]
}

const base = (text: string): string => (/^[a-z]+/i.exec(text)?.[0] ?? '').toLowerCase()

/** "packing the bags" becomes "pack the bags". */
function imperative(phrase: string): string {
  const text = phrase.replace(/^you /i, '')
  const gerund = base(text)
  const root = gerund.replace(/ing$/, '')
  const verb = [root, `${root}e`, root.replace(/(.)\1$/, '$1')].find((candidate) => VERBS.has(candidate))
  return verb ? verb + text.slice(gerund.length) : text
}

/** Each `after` waits for the whole group before it; a group is a set of parallel steps. */
function linked(parts: readonly Part[]): PlannedTask[] {
  let previous: number[] = []
  let group: number[] = []
  return parts.map((item, index) => {
    if (item.relation === 'after' && group.length > 0) {
      previous = group
      group = []
    }
    group.push(index)
    return {
      title: clip(capitalise(item.text.trim().replace(/(?<![\s,;:.!?])[\s,;:.!?]+$/, '')), 200),
      depends_on: [...previous],
    }
  })
}

/** If the caller wants a plan, the call that submits one: one phase with the steps of the goal. */
export function planCall(tools: readonly { name: string }[], goal: string): Reply | null {
  const name = 'submit_plan'
  if (!tools.some((tool) => tool.name === name)) return null
  const { summary, tasks } = planOffline(goal)
  if (tasks.length === 0) return { text: 'The goal names nothing that can be done.', calls: [] }
  const input = {
    summary: summary || tasks[0]?.title,
    assumptions: ['Made by the offline model: it splits the text into steps and adds nothing.'],
    phases: [
      {
        name: 'Work',
        tasks: tasks.map(({ title, depends_on }, index) => ({
          ref: `t${index + 1}`,
          title,
          depends_on: depends_on.map((other) => `t${other + 1}`),
        })),
      },
    ],
  }
  return { text: '', calls: [{ key: 'c0s0', name, input }] }
}
