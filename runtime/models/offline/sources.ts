import { outcomeMaterial } from './conversation.ts'
import { composeFailure } from './failure.ts'
import { firstTool, lacks } from './notice.ts'
import { record, textField } from './outcome.ts'
import { clip, unquote, words } from './text.ts'
import { call, type Material, type Outcome, type Scene, type Step } from './types.ts'

const DOMAIN_END =
  'com|org|net|io|dev|ai|app|edu|gov|de|fr|es|it|pt|nl|uk|eu|jp|cn|ch|at|be|us|ca|au|br|info|wiki|blog|me|co|tv|xyz|example|test|localhost'
const ADDRESS = new RegExp(
  `\\bhttps?://[^\\s<>"']+|(?<![\\w@/.-])(?:www\\.)?(?:[a-z0-9-]+\\.)+(?:${DOMAIN_END})(?::\\d+)?(?:/[^\\s<>"']*)?(?![\\w@-])`,
  'gi',
)
export const PATH = `(?:"[^"\\n]+"|'[^'\\n]+'|(?:~?/|\\.{1,2}/)?(?:[\\p{L}\\p{N}_-][\\p{L}\\p{N}_. -]*?/)*[\\p{L}\\p{N}_.-]*[\\p{L}\\p{N}_-]\\.[A-Za-z][A-Za-z0-9]{0,7})`
const BACK =
  /^(?:(?:of|from|in) )?(?:it|this|that|these|those|them|(?:the |this |that )?(?:above|page|text|article|file|result|content|document|email|message|website|site))(?: (?:for me|above|please|in it))*$/i

/** Web addresses in a text, with a scheme, without the punctuation that follows them. */
export function addressesIn(text: string): string[] {
  const found = [...text.matchAll(ADDRESS)].map(([address]) => address.replace(/[).,;:!?\]}]+$/, ''))
  return [...new Set(found.map((address) => (/^https?:/i.test(address) ? address : `https://${address}`)))]
}

export type Source =
  | { kind: 'text'; material: Material }
  | { kind: 'url'; url: string }
  | { kind: 'file'; path: string }
  | { kind: 'none' }

/** What a request wants read: an address, pasted text, a file, an attachment, or what "it" means. */
export function sourceOf(rest: string, scene: Scene): Source {
  const text = rest
    .replace(/^[\s:,-]+/, '')
    .replace(/^(?:the )?(?:following|text|this)\s*(?:text|article|email)?\s*:\s*/i, '')
    .trim()
  const short = words(text).length < 12
  const [url] = addressesIn(text)
  if (url && short) return { kind: 'url', url }
  const path = new RegExp(`^(?:(?:of|from|in|the|file|my) )*(${PATH})$`, 'iu').exec(text)?.[1]
  if (path && short && !/^["'].*\s/.test(path)) return { kind: 'file', path: unquote(path) }
  if (words(text).length > 2 && !BACK.test(text))
    return { kind: 'text', material: { title: 'your text', text: unquote(text) } }
  const material = scene.attachments[0] ?? scene.material
  return material ? { kind: 'text', material } : { kind: 'none' }
}

/** Reads a source with the tools there are. Gives the text, or the sentence that says why there is none. */
export async function* readSource(
  source: Source,
  scene: Scene,
): AsyncGenerator<Step, Material | string, Outcome> {
  if (source.kind === 'text') return source.material
  if (source.kind === 'none') return ''
  if (source.kind === 'url') return yield* readPage(source.url, scene)
  if (!scene.tools.has('files')) return lacks('files')
  const read = yield call('files', { action: 'read', path: source.path })
  return read.failed ? composeFailure(read) : (outcomeMaterial(read) ?? `${source.path} is empty.`)
}

/** Fetches a page with the first tool that can. */
export async function* readPage(url: string, scene: Scene): AsyncGenerator<Step, Material | string, Outcome> {
  const tool = firstTool(scene, 'web_fetch', 'http_request', 'browser')
  if (!tool) return lacks('web_fetch')
  const input =
    tool === 'web_fetch' ? { url } : tool === 'browser' ? { action: 'read', url } : { method: 'GET', url }
  const fetched = yield call(tool, input)
  if (fetched.failed) return composeFailure(fetched)
  const status = Number(record(fetched.output).status ?? 200)
  if (status >= 400) return `${url} answered with status ${status}, so there is nothing to read.`
  const { title = url, text = '' } = outcomeMaterial(fetched) ?? {}
  const plain = tool === 'http_request' && /<\w+[\s>]/.test(text) ? withoutTags(text) : text
  if (plain.trim() === '') return `${url} has no readable text.`
  return {
    title: title === tool ? url : clip(title.replace(/\s+/g, ' ').trim(), 200),
    text: plain,
    url: textField(fetched.output, 'url') || url,
  }
}

/** Enough to read a page's sentences; real extraction is the work of `web_fetch`. */
function withoutTags(html: string): string {
  return html
    .replace(/<(script|style|noscript|svg|head)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<\/(?:p|div|h\d|li|tr|section|article|br)\s*>|<br\s*\/?>/gi, '\n\n')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:nbsp|#160);/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;|&apos;/g, "'")
    .replace(/&amp;/g, '&')
}
