import { permanentError } from '../node-type.ts'
import { escapedHtml } from './html-table.ts'

/** Characters of a text that is converted. */
const maxText = 1024 * 1024

function bounded(text: string): string {
  if (text.length > maxText) throw permanentError('too_large', `A text has at most ${maxText} characters`)
  return text
}

/**
 * Markdown (GitHub's) as HTML; HTML in the text stays as it is. Like Showdown, headings get an id by their text, and three
 * dots become one character.
 */
export async function markdownToHtml(text: string, flavor: 'github' | 'showdown'): Promise<string> {
  const { Marked } = await import('marked')
  const marked = new Marked()
  if (flavor === 'showdown')
    marked.use({
      walkTokens(token) {
        if (token.type === 'text') token.text = token.text.replaceAll('...', '…')
      },
      renderer: {
        heading({ tokens, depth, text: title }) {
          const id = title.toLowerCase().replace(/[^\w]/g, '')
          return `<h${depth} id="${escapedHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
        },
      },
    })
  return (await marked.parse(bounded(text))).trimEnd()
}

/** HTML as Markdown; what it does not know is left out but for its text. */
export async function htmlToMarkdown(html: string, options: object = {}): Promise<string> {
  const { NodeHtmlMarkdown } = await import('node-html-markdown')
  try {
    return NodeHtmlMarkdown.translate(bounded(html), options)
  } catch (thrown) {
    if (thrown instanceof RangeError) throw permanentError('too_deep', 'The elements are nested too deeply')
    throw thrown
  }
}
