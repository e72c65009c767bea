import { compose } from '../compose.ts'
import { outcomeMaterial } from '../conversation.ts'
import { lacks } from '../notice.ts'
import { PATH } from '../sources.ts'
import { unquote } from '../text.ts'
import { call, type Intent, type IntentMatch, matched, say } from '../types.ts'

const WHERE = '(?:the |my |our )?(?:folder |directory )?(?<path>[^\\s?]+?)(?: folder| directory)?'
const FOLDER = '(?:files|documents|folders?|directory|directories|workspace|file list)'
const LISTS: readonly RegExp[] = [
  new RegExp(
    `^(?:list|show|ls|dir|display|see|which|what|view|browse|get|give me)(?: me)?(?:'s| is| are)?(?: all)?(?: of)?(?: the| my| our| your)? ${FOLDER}(?: (?:and folders|are there|are|do I have|do we have|do you (?:have|see)|exist|there|you have|you can see|can you see|I have|we have|here))*(?: (?:in|under|inside|of|at|from) ${WHERE})?$`,
    'i',
  ),
  /^(?:ls|dir)(?: (?<path>\S+))?$/i,
  /^(?:my )?files$/i,
  /^(?:what(?:'s| is)|list|show(?: me)?)(?: the contents?)?(?: in| inside| of)? (?:the |my )?(?:folder|directory) (?<path>\S+)$/i,
  /^what(?:'s| is) (?:in|inside) (?:the |my )(?<path>\S+) (?:folder|directory)$/i,
  /^(?:what(?:'s| is) (?:in|inside)|list|show(?: me)?) (?<path>[\w.-]+(?:\/[\w.-]+)*\/)$/i,
]
const READS: readonly RegExp[] = [
  new RegExp(
    `^(?:read|show|open|cat|display|print|view|see|load|get)(?: me)?(?: the| my)?(?: contents? of)?(?: the| my)?(?: file| document| note)? (?<path>${PATH})(?: (?:to me|aloud|file))?$`,
    'iu',
  ),
  new RegExp(
    `^what(?:'s| is| does| are)(?: written)?(?: in| inside)?(?: the| my)?(?: contents? of)?(?: the)?(?: file)? (?<path>${PATH})(?: say| contain)?$`,
    'iu',
  ),
  /^(?:read|show|open|cat)(?: me)? (?:the |my )?(?:file|document) (?:called |named )?(?<path>[^\s]+)$/i,
]
const READ_WHAT = /^(?:read|open|show(?: me)?) (?:a|the|my|some) (?:file|document)$/i
const SEARCHES: readonly RegExp[] = [
  /^(?:search|look|grep|scan)(?: in| through| inside)?(?: all)?(?: of)?(?: the| my| our)? (?:files|documents|workspace|notes)(?: for| containing| about| with| that (?:contain|mention))? (?<query>.+)$/i,
  /^(?:search|look|grep|find|scan)(?: for)? (?<query>.+?) (?:in|inside|within|across|through)(?: all)?(?: of)?(?: the| my| our)? (?:files|documents|workspace|notes)$/i,
  /^(?:which|what|find(?: me)?|list|show me)(?: all)?(?: the| my)? (?:files|documents)(?: that)? (?:mention(?:s|ing)?|contain(?:s|ing)?|with|about|include|includes) (?<query>.+)$/i,
  /^grep (?:for )?(?<query>.+)$/i,
]
const SEARCH_WHAT = /^(?:search|look through|grep)(?: in)?(?: the| my)? (?:files|documents|notes)$/i
const SEARCH_IN = new RegExp(
  `^(?:search|look|grep|find)(?: for)? (?<query>.+?) in (?:the )?(?:file )?(?<path>${PATH})$`,
  'iu',
)

export const filesRead: Intent = {
  name: 'files',
  title: 'Files',
  tools: ['files'],
  examples: ['list the files', 'read notes.md', 'search the files for invoice'],
  match(text) {
    if (READ_WHAT.test(text)) return matched(0.8, { ask: 'Which file should I read?' })
    if (SEARCH_WHAT.test(text)) return matched(0.8, { ask: 'What should I search the files for?' })
    return (
      first(text, 0.91, 'search', [SEARCH_IN, ...SEARCHES]) ??
      first(text, 0.9, 'list', LISTS) ??
      first(text, 0.89, 'read', READS)
    )
  },
  async *run({ slots }, scene) {
    const { ask, action, path, query } = slots
    if (!scene.tools.has('files')) yield say(lacks('files'))
    else if (ask) yield say(ask)
    else {
      const input = { action, ...(path && { path: unquote(path) }), ...(query && { query: unquote(query) }) }
      const outcome = yield call('files', input)
      yield say(compose(outcome))
      return outcome.failed ? undefined : outcomeMaterial(outcome)
    }
    return undefined
  },
}

function first(text: string, score: number, action: string, patterns: readonly RegExp[]): IntentMatch | null {
  const groups = patterns.map((pattern) => pattern.exec(text)).find(Boolean)
  if (!groups) return null
  const { path, query } = groups.groups ?? {}
  // "Open example.com" means the page.
  if (/^https?:|^www\.|^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net)$/i.test(path ?? '')) return null
  return matched(score, { action, ...(path && { path }), ...(query && { query }) })
}
