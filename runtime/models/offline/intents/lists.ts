import type { ToolSpec } from '../../../ports/models.ts'
import { composeFailure, composeTodos, use } from '../compose.ts'
import { record, rows, textField } from '../conversation.ts'
import { capitalise, joinList, unquote, VERBS } from '../text.ts'
import { call, grammar, handled, type Intent, type Scene, type Script, say, speak } from '../types.ts'
import { pick } from './jobs.ts'

const LIST = '(?:(?:to-?do|task|shopping|grocery|check|packing)s?[- ]?list|to-?dos?|tasks?|list)'

export const todo: Intent = {
  title: 'To-do list',
  tools: ['todo'],
  examples: ['add milk to my list', "what's on my list", 'mark milk as done'],
  rules: grammar`
    @ 0.8; ask: What should I add to your list?
      (add|put)( something| an item| a task)?( (to|on) (my |the )?${LIST})?
      (add|new) (a )?(to-?do|task)
    @ 0.91; action: list
      (show|list|display|read|see|check|view|open|tell me|give me|get|what('s| is| are)|anything)( me)?( all)?( left)?( on| in| of)?( the| my| our)?( open| current| pending)? ${LIST}( items)?
      (my |the )?(to-?dos?|to-?do list|tasks|task list|shopping list)
      what('s| is| do I( still)? (have|need))( left)? to (be )?do(ne)?( today| next| now)?
    @ 0.91; action: add
      (add|put|write|note)\s+(?<text>.+?)\s+(to|on|onto|in)\s+(my |the |our )?${LIST}
      (add|create|make|new)\s+(an? |another |new )*(to-?do|task)( item)?( called| named| to|:| -)?\s+(?<text>.+)
      (to-?do|task)\s*(:|-|\badd\b)\s*(?<text>.+)
    @ 0.95; action: add; task: yes
      (remember|don'?t (let me )?forget|do not forget) to (?<text>.+)
    @ 0.91; action: done
      (mark|set|tick)\s+(off )?(the |my )?(to-?do |task )?(?<text>.+?)( off)?\s+(as )?(done|completed?|finished)
      (check|tick|cross)\s+off\s+(the |my )?(?<text>.+?)(\s+(from |on )?(my |the )?(list|to-?dos?))?
      (check|tick|cross)\s+(the |my )?(?<text>.+?)\s+off(\s+(from |on )?(my |the )?(list|to-?dos?))?
      (complete|finish|close|done with)\s+(the |my )?(task |to-?do )(?<text>.+)
    @ 0.6; action: done
      I('ve| have|'m| am)?( just| already)? (done|finished|completed|through)( with)? (?<text>.+)
    @ 0.91; action: remove
      (remove|delete|take|drop|erase|strike)\s+(?<text>.+?)\s+(from|off)\s+(of )?(my |the )?${LIST}
      (remove|delete|drop)\s+(the |my )?(to-?do|list item)( item)?\s+(?<text>.+)
  `,
  // Without a list, "remember to …" is something to remember.
  accepts: ({ task }, { tools }) => !task || tools.has('todo'),
  run({ action = 'list', text = '' }) {
    if (action === 'list') return use('todo', { action })
    return action === 'add' ? addAll(itemsOf(text)) : change(action, text)
  },
}

/** "milk, eggs and bread" are three things; a sentence with a verb or a quotation is one. */
function itemsOf(text: string): string[] {
  const items = /^["']/.test(text) ? [] : text.split(/ ?, ?(?:and )?| and /i).filter(Boolean)
  return items.length > 0 && items.every((item) => item.split(/\s+/).length <= 3) ? items : [unquote(text)]
}

async function* addAll(items: readonly string[]): Script {
  const failures: string[] = []
  let last: unknown
  for (const text of items) {
    const added = yield call('todo', { action: 'add', text }, handled)
    if (added.failed) failures.push(composeFailure(added))
    else last = added.output
  }
  return yield* speak(failures[0] ?? `Added. ${composeTodos(last)}`)
}

async function* change(action: string, text: string): Script {
  const listed = yield call('todo', { action: 'list' })
  const chosen = pick(text, rows(listed.output, 'items'), 'text')
  if (!chosen) return yield* speak(`Nothing on your list matches "${text}". ${composeTodos(listed.output)}`)
  yield call('todo', { action, id: textField(chosen, 'id') })
  yield say(`${action === 'done' ? 'Done' : 'Removed'}: ${textField(chosen, 'text')}.`)
}

/**
 * An instruction that no tool can carry out, such as "buy milk", can at least be added to the list: this is
 * offered, not done.
 */
export const offer: Intent = {
  tools: ['todo'],
  examples: [],
  rules: grammar`
    @ 0.35
      (I (need|have|want|ought|still need|still have) to |I (must|should) |(we|you) (need|have) to )?(?<task>(?<verb>\p{L}+) [^?"\n]{2,160})
  `,
  accepts: ({ verb = '' }, { tools }) => VERBS.has(verb.toLowerCase()) && tools.has('todo'),
  run: ({ task }) => speak(`I cannot do that myself.\nShall I add "${task}" to your to-do list?`),
}

const TELL = "(?:what(?:'s| is)|show(?: me)?|get|check|tell me)? ?(?:the |my )?"
const STATE = '(?:status|progress|state)'

export const project: Intent = {
  title: 'Projects',
  tools: ['project'],
  examples: ['create a project called Garden: plant the beds', 'project status'],
  rules: grammar`
    @ 0.91; ask: What should the project be called?
      (create|start|make|new)\s+(an? |the )?(new )?project
    @ 0.9; action: status
      ${TELL}${STATE} (of|on) (the |my )?project( called| named)?\s*(?<name>.*)
      ${TELL}((?<name>.+?) )?project('s)? ${STATE}
      (the |my )?project ${STATE} (of|for|on) (?<name>.+)
      how('s| is| are) (the |my )?project( called| named)?\s*(?<name>.*?)( (going|doing|coming along))?
      (is|are) (the |my )?project( called| named)? (?<name>.+?) (done|finished|ready|complete|on track)
      (list|show)( me)?( all)?( of)?( the| my)? projects
    @ 0.9; action: create; whole: [:,]|--?|\bthat\b|\bwith\b
      (create|start|make|open|set up|begin|run|new|add)\s+(me )?(an? |the )?(new )?project\b(\s+(called|named|for|about|to|on))?\s*:?\s*(?<name>"[^"]+"|[^:,\n]+?)(\s*(:|,|--?|\bto\b(?=\s+\w+\s+\w+)|\bthat\b|\bwith (the )?description\b)\s+(?<description>.+))?
  `,
  run({ action, name: given = '', description }) {
    const name = capitalise(unquote(given))
    return use('project', { action, ...(name && { name }), ...(description && { description }) })
  },
}

export const workflow: Intent = {
  title: 'Workflows',
  tools: ['workflow'],
  examples: ['run the workflow nightly-report', 'status of the workflow nightly-report'],
  rules: grammar`
    @ 0.91; ask: Which workflow should I run?
      (run|start) (an? |the |my )?workflow
    @ 0.9; action: status
      ${TELL}${STATE} (of|on) (the |my )?workflow( called| named)?\s+(?<name>.+)
      ${TELL}${STATE} (of|on) (the |my )?(?<name>.+?) workflow
      (show( me)?|get|check)? ?(the |my )?(?<name>.+?) workflow ${STATE}
      how('s| is) (the |my )?workflow (?<name>.+?)( (going|doing))?
    @ 0.9; action: run
      (run|start|execute|trigger|launch)\s+(the |my )?workflow( called| named)?\s+(?<name>.+)
      (run|start|execute|trigger|launch)\s+(the |my )?(?<name>.+?)\s+workflow
  `,
  run: ({ action, name = '' }) => use('workflow', { action, name: unquote(name) }),
}

/**
 * Any tool can be called by its name, with JSON or `key=value` pairs: so skills and tool servers work offline
 * too.
 */
export const useTool: Intent = {
  tools: [],
  examples: [],
  content: true,
  rules: grammar`
    @ 0.86; whole: [{=]
      (use|call|run|invoke|execute)\s+(the )?(tool )?"?(?<name>[\w.:\-]+)"?( tool)?\s+(with|on|using|for)?:?\s*(?<rest>.+)
    @ 0.55
      (use|call|run|invoke|execute)\s+(the )?(tool )?"?(?<name>[\w.:\-]+)"?( tool)?
  `,
  accepts: ({ name = '' }, scene) => findTool(name, scene) !== undefined,
  run({ name = '', rest = '' }, scene) {
    const tool = findTool(name, scene)
    const input = tool && readInput(rest, tool)
    if (!input)
      return speak(
        `I could not read the input for ${name}. Write it as JSON: use ${name} with {"key": "value"}.`,
      )
    const absent = required(tool).filter((key) => !(key in input))
    const example = absent.map((key) => `"${key}": …`).join(', ')
    if (absent.length === 0) return use(tool.name, input)
    return speak(`${tool.name} needs ${joinList(absent)}: use ${tool.name} with {${example}}.`)
  },
}

const findTool = (name: string, { tools }: Scene): ToolSpec | undefined =>
  [...tools.values()].find((tool) => tool.name.toLowerCase() === name.toLowerCase())

function required({ input_schema: { required: list } }: ToolSpec): string[] {
  return Array.isArray(list) ? list.filter((key) => typeof key === 'string') : []
}

function readInput(text: string, tool: ToolSpec): Record<string, unknown> | undefined {
  if (text === '') return {}
  if (text.startsWith('{')) return parseObject(text)
  const pairs = [...text.matchAll(/(?<![\w-])([\w-]+) ?= ?("[^"]*"|'[^']*'|\S+)/g)]
  if (pairs.length > 0)
    return Object.fromEntries(pairs.map(([, key = '', value = '']) => [key, unquote(value)]))
  const [only, ...more] = required(tool)
  return only && more.length === 0 ? { [only]: unquote(text) } : undefined
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return record(value) === value ? record(value) : undefined
  } catch {
    return undefined
  }
}
