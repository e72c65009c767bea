import { use } from '../compose.ts'
import { isBackReference, PATH } from '../sources.ts'
import { unquote } from '../text.ts'
import { form, type Intent, rules, type Scene, speak } from '../types.ts'

const SHOW =
  "(?:list|show|ls|dir|display|see|which|what|view|browse|get|give me)(?: me)?(?:'s| is| are)?(?: all)?(?: of)?(?: the| my| our| your)?"
const FOLDER = '(?:files|documents|folders?|directory|directories|workspace|file list)'
const MINE =
  '(?: (?:and folders|are there|are|do I have|do we have|do you (?:have|see)|exist|there|you have|you can see|can you see|I have|we have|here))*'
const FILES = '(?:files|documents|workspace|notes)'

export const readFiles: Intent = {
  title: 'Files',
  tools: ['files'],
  examples: ['list the files', 'read notes.md', 'search the files for invoice'],
  rules: [
    ...rules(
      { score: 0.8, slots: { ask: 'Which file should I read?' } },
      form`(?:read|open|show(?: me)?) (?:a|the|my|some) (?:file|document)`,
    ),
    ...rules(
      { score: 0.8, slots: { ask: 'What should I search the files for?' } },
      form`(?:search|look through|grep)(?: in)?(?: the| my)? (?:files|documents|notes)`,
    ),
    ...rules(
      { score: 0.91, slots: { action: 'search' } },
      form`(?:search|look|grep|find)(?: for)? (?<query>.+?) in (?:the )?(?:file )?(?<path>${PATH})`,
      form`(?:search|look|grep|scan)(?: in| through| inside)?(?: all)?(?: of)?(?: the| my| our)? ${FILES}(?: for| containing| about| with| that (?:contain|mention))? (?<query>.+)`,
      form`(?:search|look|grep|find|scan)(?: for)? (?<query>.+?) (?:in|inside|within|across|through)(?: all)?(?: of)?(?: the| my| our)? ${FILES}`,
      form`(?:which|what|find(?: me)?|list|show me)(?: all)?(?: the| my)? (?:files|documents)(?: that)? (?:mention(?:s|ing)?|contain(?:s|ing)?|with|about|includes?) (?<query>.+)`,
      form`grep (?:for )?(?<query>.+)`,
    ),
    ...rules(
      { slots: { action: 'list' } },
      form`${SHOW} ${FOLDER}${MINE}(?: (?:in|under|inside|of|at|from) (?:the |my |our )?(?:folder |directory )?(?<path>[^\s?]+?)(?: folder| directory)?)?`,
      form`(?:ls|dir)(?: (?<path>\S+))?`,
      form`(?:my )?files`,
      form`(?:what(?:'s| is)|list|show(?: me)?)(?: the contents?)?(?: in| inside| of)? (?:the |my )?(?:folder|directory) (?<path>\S+)`,
      form`what(?:'s| is) (?:in|inside) (?:the |my )(?<path>\S+) (?:folder|directory)`,
      form`(?:what(?:'s| is) (?:in|inside)|list|show(?: me)?) (?<path>[\w.\-]+(?:/[\w.\-]+)*/)`,
    ),
    ...rules(
      { score: 0.89, slots: { action: 'read' } },
      form`(?:read|show|open|cat|display|print|view|see|load|get)(?: me)?(?: the| my)?(?: contents? of)?(?: the| my)?(?: file| document| note)? (?<path>${PATH})(?: (?:to me|aloud|file))?`,
      form`what(?:'s| is| does| are)(?: written)?(?: in| inside)?(?: the| my)?(?: contents? of)?(?: the)?(?: file)? (?<path>${PATH})(?: say| contain)?`,
      form`(?:read|show|open|cat)(?: me)? (?:the |my )?(?:file|document) (?:called |named )?(?<path>\S+)`,
    ),
  ],
  // "Open example.com" means the page.
  refine: (match) =>
    /^https?:|^www\.|^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net)$/i.test(match?.slots.path ?? '')
      ? null
      : (match ?? null),
  run: ({ action, path, query }) =>
    use('files', { action, ...(path && { path: unquote(path) }), ...(query && { query: unquote(query) }) }),
}

const NEW_FILE =
  '(?:create|make|write|save|start)(?: me)?(?: an?| the)?(?: new| empty| text| markdown)* (?:file|document|note)\\b'

export const writeFiles: Intent = {
  tools: ['files'],
  examples: ['write "hello" to notes.md', 'replace "red" with "blue" in notes.md'],
  content: true,
  rules: [
    ...rules(
      { score: 0.92, slots: { action: 'edit' }, whole: /\n/ },
      form`(?:replace|change|swap|substitute)\s+(?<find>.+?)\s+(?:with|to|by|for)\s+(?<content>.+?)\s+in\s+(?:the )?(?:file )?(?<path>${PATH})`,
      form`(?:in|edit) (?:the )?(?:file )?(?<path>${PATH})[,:]?\s+(?:and )?(?:replace|change)\s+(?<find>.+?)\s+(?:with|to|by)\s+(?<content>.+)`,
    ),
    ...rules(
      { score: 0.92, slots: { action: 'append' }, whole: /\n/ },
      form`(?:append|add)\s+(?:the (?:line|text)s? )?(?<content>.+?)\s+(?:to|onto|at the end of|at the bottom of)\s+(?:the )?(?:end of )?(?:the )?(?:file )?(?<path>${PATH})`,
    ),
    ...rules(
      { score: 0.92, slots: { action: 'write' }, whole: /\n/ },
      form`${NEW_FILE}\s*(?:called |named |at )?(?<path>${PATH})\s*(?:,?\s*(?:with|containing|that says|that contains|saying|which says)(?: the)?(?: text| contents?| words)?|:)\s*(?<content>.+)`,
      form`(?:write|save|put|store|export|dump)\s+(?:the (?:text|words) )?(?<content>.+?)\s+(?:to|into|in|as|under)\s+(?:an? |the |my )?(?:new )?(?:file )?(?:called |named )?(?<path>${PATH})`,
      form`(?:write|save)\s+(?:to\s+)?(?<path>${PATH})\s*:\s*(?<content>.+)`,
      form`(?:create|make|start|overwrite|replace|fill)\s+(?:the (?:contents? of )?)?(?:file )?(?<path>${PATH})\s+(?:with|containing|by)\s+(?<content>.+)`,
      form`${NEW_FILE}\s+(?:called |named |at )?(?<path>${PATH})`,
      form`(?:save|write) (?<content>it|this|that|the (?:summary|result|text))(?: (?:to|into|in|as) (?:a|the) (?:new )?file| down)`,
    ),
    ...rules({ slots: { ask: 'What should the file be called?' } }, form`${NEW_FILE}`),
  ],
  run({ action = '', path = '', find = '', content = '' }, scene) {
    const name = unquote(path)
    const text = textOf(content, scene)
    if (name === '') return speak('Which file should I write that to?')
    if (text === '') return speak(`What should I write to ${name}?`)
    const change = action === 'edit' ? { find: unquote(find), replace: text } : { content: text }
    return use('files', { action, path: name, ...change })
  },
}

/** What is to be written: the words themselves, or the page, file or answer that "it" means. */
function textOf(content: string, { material }: Scene): string {
  if (!isBackReference(content)) return unquote(content)
  if (!material) return ''
  const { title, url, text } = material
  return url ? `# ${title}\n\n${url}\n\n${text}\n` : text
}
