import { compose, composeTodos } from '../compose.ts'
import { composeFailure } from '../failure.ts'
import { lacks } from '../notice.ts'
import { rows, textField } from '../outcome.ts'
import { unquote } from '../text.ts'
import { call, type Intent, type IntentMatch, matched, type Script, say } from '../types.ts'
import { pick } from './pick.ts'

const LIST = '(?:(?:to-?do|task|shopping|grocery|check|packing)s?[- ]?list|to-?dos?|tasks?|list)'
const SHAPES: readonly [string, RegExp][] = [
  [
    'list',
    new RegExp(
      `^(?:show|list|display|read|see|check|view|open|tell me|give me|get|what(?:'s| is| are)|anything)(?: me)?(?: all)?(?: left)?(?: on| in| of)?(?: the| my| our)?(?: open| current| pending)? ${LIST}(?: items)?$`,
      'i',
    ),
  ],
  ['list', /^(?:my |the )?(?:to-?dos?|to-?do list|tasks|task list|shopping list)$/i],
  [
    'list',
    /^what(?:'s| is| do I(?: still)? (?:have|need))(?: left)? to (?:be )?do(?:ne)?(?: today| next| now)?$/i,
  ],
  [
    'add',
    new RegExp(
      `^(?:add|put|write|note)\\s+(?<text>.+?)\\s+(?:to|on|onto|in)\\s+(?:my |the |our )?${LIST}$`,
      'is',
    ),
  ],
  [
    'add',
    /^(?:add|create|make|new)\s+(?:an? |another |new )*(?:to-?do|task)(?: item)?(?: called| named| to|:| -)?\s+(?<text>.+)$/is,
  ],
  ['add', /^(?:to-?do|task)\s*(?::|-|\badd\b)\s*(?<text>.+)$/is],
  [
    'done',
    /^(?:mark|set|tick)\s+(?:off )?(?:the |my )?(?:to-?do |task )?(?<text>.+?)(?: off)?\s+(?:as )?(?:done|completed?|finished)$/i,
  ],
  [
    'done',
    /^(?:check|tick|cross)\s+(?:off\s+(?:the |my )?(?<text>.+?)|(?:the |my )?(?<item>.+?)\s+off)(?:\s+(?:from |on )?(?:my |the )?(?:list|to-?dos?))?$/i,
  ],
  ['done', /^(?:complete|finish|close|done with)\s+(?:the |my )?(?:task |to-?do )(?<text>.+)$/i],
  [
    'done',
    /^I(?:'ve| have|'m| am)?(?: just| already)? (?:done|finished|completed|through)(?: with)? (?<text>.+)$/i,
  ],
  [
    'remove',
    new RegExp(
      `^(?:remove|delete|take|drop|erase|strike)\\s+(?<text>.+?)\\s+(?:from|off)\\s+(?:of )?(?:my |the )?${LIST}$`,
      'i',
    ),
  ],
  ['remove', /^(?:remove|delete|drop)\s+(?:the |my )?(?:to-?do|list item)(?: item)?\s+(?<text>.+)$/i],
]
const ADD_WHAT = new RegExp(
  `^(?:add|put)(?: something| an item| a task)?(?: (?:to|on) (?:my |the )?${LIST})?$|^(?:add|new) (?:a )?(?:to-?do|task)$`,
  'i',
)
const REMEMBER_TO = /^(?:remember|don'?t (?:let me )?forget|do not forget) to (?<text>.+)$/is

export const todo: Intent = {
  name: 'todo',
  title: 'To-do list',
  tools: ['todo'],
  examples: ['add milk to my list', "what's on my list", 'mark milk as done'],
  match(text, scene) {
    if (ADD_WHAT.test(text)) return matched(0.8, { action: 'add' })
    for (const [action, shape] of SHAPES) {
      const found = shape.exec(text)
      if (found) return slotsOf(action, found)
    }
    const task = REMEMBER_TO.exec(text)?.groups?.text
    return task && scene.tools.has('todo') ? matched(0.95, { action: 'add', text: task }) : null
  },
  async *run({ slots }, scene) {
    const { action = 'list', text = '' } = slots
    if (!scene.tools.has('todo')) yield say(lacks('todo'))
    else if (action === 'list') yield say(compose(yield call('todo', { action })))
    else if (text === '') yield say('What should I add to your list?')
    else if (action === 'add') yield* add(itemsOf(text))
    else yield* change(action, text)
    return undefined
  },
}

function slotsOf(action: string, found: RegExpExecArray): IntentMatch {
  const text = found.groups?.text ?? found.groups?.item ?? ''
  return matched(action === 'done' && /^I\b/i.test(found[0]) ? 0.6 : 0.91, { action, text: text.trim() })
}

/** "milk, eggs and bread" are three things; a sentence with a verb or a quotation is one. */
function itemsOf(text: string): string[] {
  if (/^["']/.test(text) || !/,|\band\b/.test(text)) return [unquote(text)]
  const items = text.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i).filter(Boolean)
  return items.every((item) => item.split(/\s+/).length <= 3) ? items : [unquote(text)]
}

async function* add(items: readonly string[]): Script {
  const failures: string[] = []
  let last: unknown
  for (const text of items) {
    const added = yield call('todo', { action: 'add', text })
    if (added.failed) failures.push(composeFailure(added))
    else last = added.output
  }
  yield say(failures[0] ?? `Added. ${composeTodos(last)}`)
  return undefined
}

async function* change(action: string, text: string): Script {
  const listed = yield call('todo', { action: 'list' })
  const items = listed.failed ? [] : rows(listed.output, 'items')
  const chosen = pick(text, items, 'text')
  if (listed.failed) yield say(composeFailure(listed))
  else if (!chosen) yield say(`Nothing on your list matches "${text}". ${composeTodos(listed.output)}`)
  else {
    const changed = yield call('todo', { action, id: textField(chosen, 'id') })
    const deed = action === 'done' ? 'Done' : 'Removed'
    yield say(changed.failed ? composeFailure(changed) : `${deed}: ${textField(chosen, 'text')}.`)
  }
  return undefined
}
