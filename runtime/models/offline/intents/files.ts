import { use } from '../compose.ts'
import { isBackReference, PATH } from '../sources.ts'
import { unquote } from '../text.ts'
import { grammar, type Intent, type Scene, speak } from '../types.ts'

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
  rules: grammar`
    @ 0.8; ask: Which file should I read?
      (read|open|show( me)?) (a|the|my|some) (file|document)
    @ 0.8; ask: What should I search the files for?
      (search|look through|grep)( in)?( the| my)? (files|documents|notes)
    @ 0.91; action: search
      (search|look|grep|find)( for)? (?<query>.+?) in (the )?(file )?(?<path>${PATH})
      (search|look|grep|scan)( in| through| inside)?( all)?( of)?( the| my| our)? ${FILES}( for| containing| about| with| that (contain|mention))? (?<query>.+)
      (search|look|grep|find|scan)( for)? (?<query>.+?) (in|inside|within|across|through)( all)?( of)?( the| my| our)? ${FILES}
      (which|what|find( me)?|list|show me)( all)?( the| my)? (files|documents)( that)? (mention(s|ing)?|contain(s|ing)?|with|about|includes?) (?<query>.+)
      grep (for )?(?<query>.+)
    @ 0.9; action: list
      ${SHOW} ${FOLDER}${MINE}( (in|under|inside|of|at|from) (the |my |our )?(folder |directory )?(?<path>[^\s?]+?)( folder| directory)?)?
      (ls|dir)( (?<path>\S+))?
      (my )?files
      (what('s| is)|list|show( me)?)( the contents?)?( in| inside| of)? (the |my )?(folder|directory) (?<path>\S+)
      what('s| is) (in|inside) (the |my )(?<path>\S+) (folder|directory)
      (what('s| is) (in|inside)|list|show( me)?) (?<path>[\w.\-]+(/[\w.\-]+)*/)
    @ 0.89; action: read
      (read|show|open|cat|display|print|view|see|load|get)( me)?( the| my)?( contents? of)?( the| my)?( file| document| note)? (?<path>${PATH})( (to me|aloud|file))?
      what('s| is| does| are)( written)?( in| inside)?( the| my)?( contents? of)?( the)?( file)? (?<path>${PATH})( say| contain)?
      (read|show|open|cat)( me)? (the |my )?(file|document) (called |named )?(?<path>\S+)
  `,
  // "Open example.com" means the page.
  accepts: ({ path = '' }) => !/^https?:|^www\.|^[\w.-]+\.(?:com|org|net)$/i.test(path),
  run: ({ action, path, query }) =>
    use('files', { action, ...(path && { path: unquote(path) }), ...(query && { query: unquote(query) }) }),
}

const NEW_FILE =
  '(?:create|make|write|save|start)(?: me)?(?: an?| the)?(?: new| empty| text| markdown)* (?:file|document|note)\\b'

export const writeFiles: Intent = {
  tools: ['files'],
  examples: ['write "hello" to notes.md', 'replace "red" with "blue" in notes.md'],
  content: true,
  rules: grammar`
    @ 0.92; action: edit; whole: \n
      (replace|change|swap|substitute)\s+(?<find>.{1,300}?)\s+(with|to|by|for)\s+(?<content>.+?)\s+in\s+(the )?(file )?(?<path>${PATH})
      (in|edit) (the )?(file )?(?<path>${PATH})[,:]?\s+(and )?(replace|change)\s+(?<find>.{1,300}?)\s+(with|to|by)\s+(?<content>.+)
    @ 0.92; action: append; whole: \n
      (append|add)\s+(the (line|text)s? )?(?<content>.+?)\s+(to|onto|at the end of|at the bottom of)\s+(the )?(end of )?(the )?(file )?(?<path>${PATH})
    @ 0.92; action: write; whole: \n
      ${NEW_FILE}\s*(called |named |at )?(?<path>${PATH})\s*(,?\s*(with|containing|listing|saying|(that|which) (says|contains|lists|reads))( the)?( text| contents?| words)?|:)\s*(?<content>.+)
      (write|save|put|store|export|dump)\s+(the (text|words) )?(?<content>.+?)\s+(to|into|in|as|under)\s+(an? |the |my )?(new )?(file )?(called |named )?(?<path>${PATH})
      (write|save)\s+(to\s+)?(?<path>${PATH})\s*:\s*(?<content>.+)
      (create|make|start|fill)\s+(the (contents? of )?)?(file )?(?<path>${PATH})\s+(with|containing|saying|by)( the)?( text| contents?| words)?\s*(?<content>.+)
      ${NEW_FILE}\s+(called |named |at )?(?<path>${PATH})
      (save|write) (?<content>it|this|that|the (summary|result|text))( (to|into|in|as) (a|the) (new )?file| down)
    @ 0.92; action: write; overwrite: yes; whole: \n
      (overwrite|replace)\s+(the (contents? of )?)?(file )?(?<path>${PATH})\s+(with|containing|saying|by)( the)?( text| contents?| words)?\s*(?<content>.+)
    @ 0.9; ask: What should the file be called?
      ${NEW_FILE}
  `,
  run({ action = '', path = '', find = '', content = '', overwrite }, scene) {
    const name = unquote(path)
    const text = textOf(content.replace(introduction, ''), scene)
    if (name === '') return speak('Which file should I write that to?')
    if (text === '') return speak(`What should I write to ${name}?`)
    const change =
      action === 'edit'
        ? { find: unquote(find), replace: text }
        : { content: text, ...(overwrite && { overwrite: true }) }
    return use('files', { action, path: name, ...change })
  },
}

/** What announces the content and is no part of it, as in "with the text: hello". */
const introduction =
  /^\s*(?:(?:the\s+|this\s+)?(?:following\s+)?(?:text|contents?|words?|lines?)\s*:|the following\s*:?|:(?=\s))\s*/i

/** The content to write: the words themselves, or the page, file or answer that "it" means. */
function textOf(content: string, { material }: Scene): string {
  if (/^nothing$/i.test(content)) return ''
  if (!isBackReference(content)) return unquote(content)
  if (!material) return ''
  const { title, url, text } = material
  return url ? `# ${title}\n\n${url}\n\n${text}\n` : text
}
