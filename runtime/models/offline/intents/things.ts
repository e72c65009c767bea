import { capitalized } from '../../../label.ts'
import { composeFailure, composeTodos, use } from '../compose.ts'
import { rows, textField } from '../conversation.ts'
import { isBackReference } from '../sources.ts'
import { unquote } from '../text.ts'
import { type Behaviour, call, type Scene, type Script, say, speak, tryCall } from '../types.ts'
import { pick } from './jobs.ts'

export const list: Behaviour = {
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
    const added = yield tryCall('todo', { action: 'add', text })
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
  return undefined
}

export const files: Behaviour = {
  // "Open example.com" means the page.
  accepts: ({ path = '' }) => !/^https?:|^www\.|^[\w.-]+\.(?:com|org|net)$/i.test(path),
  run: ({ action, path }) => use('files', { action, ...(path && { path: unquote(path) }) }),
}

/** What announces the content and is no part of it, as in "with the text: hello". */
const introduction =
  /^\s*(?:(?:the\s+|this\s+)?(?:following\s+)?(?:text|contents?|words?|lines?)\s*:|the following\s*:?|:(?=\s))\s*/i

export const write: Behaviour = {
  run({ action = '', path = '', content = '', overwrite }, scene) {
    const name = unquote(path)
    const text = textOf(content.replace(introduction, ''), scene)
    if (name === '') return speak('Which file should I write that to?')
    if (text === '') return speak(`What should I write to ${name}?`)
    return use('files', { action, path: name, content: text, ...(overwrite && { overwrite: true }) })
  },
}

/** The content to write: the words themselves, or the page, file or answer that "it" means. */
function textOf(content: string, { material }: Scene): string {
  if (/^nothing$/i.test(content)) return ''
  if (!isBackReference(content)) return unquote(content)
  if (!material) return ''
  const { title, url, text } = material
  return url ? `# ${title}\n\n${url}\n\n${text}\n` : text
}

export const project: Behaviour = {
  run({ action, name: rawName = '', description }) {
    const name = capitalized(unquote(rawName))
    return use('project', { action, ...(name && { name }), ...(description && { description }) })
  },
}
