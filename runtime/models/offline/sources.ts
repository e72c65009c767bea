import { clip } from '../../english/text.ts'
import { compose } from './compose.ts'
import { materialOf, record, textField } from './conversation.ts'
import { PATH } from './grammar.ts'
import { lacks } from './notice.ts'
import { unquote } from './text.ts'
import { type Material, type Outcome, type Scene, type Step, tryCall } from './types.ts'

const DOMAIN_END =
  `com|org|net|io|dev|ai|app|edu|gov|de|fr|es|it|pt|nl|uk|eu|jp|cn|ch|at|be|us|ca|au|br|info|wiki|blog|me|
co|tv|xyz|example|test|localhost`.replace('\n', '')
const DOMAIN = `(?<![\\w@/.-])(?:www\\.)?(?:[a-z0-9-]+\\.)+(?:${DOMAIN_END})(?::\\d+)?(?:/[^\\s<>"']*)?(?![\\w@-])`
const ADDRESS = new RegExp(`\\bhttps?://[^\\s<>"']+|${DOMAIN}`, 'gi')
const THING =
  `(?:(?:main|key|important) )?(?:page|site|website|results?|summary|gist|points?|headlines|answer|text|article|
contents?|file|document|email|message|plan|names|above)`.replace('\n', '')
const IT = `(?:it|this|that|them|these|those|(?:the|its|this|that) ${THING})`
const WHOLE = new RegExp(`^${IT}(?: (?:for (?:me|later)|in memory|from it))*$`, 'i')
const INSIDE = new RegExp(`\\b${IT}\\b`, 'i')
const SOURCE = new RegExp(`^(?:(?:of|from|in) )?${IT}(?: (?:for me|above|please|in it))*$`, 'i')

/** Whether a text is nothing but "it", "the summary" or the like: it means earlier material. */
export const isBackReference = (text: string): boolean => WHOLE.test(text.trim())

/** Whether a clause may mean what an earlier clause returns, so that it has to wait. */
export const mayReferBack = (text: string): boolean => INSIDE.test(text)

/** Web addresses in a text, with a scheme, without the punctuation that follows them. */
export function addressesIn(text: string): string[] {
  const found = [...text.matchAll(ADDRESS)].map(([address]) =>
    address.replace(/(?<![).,;:!?\]}])[).,;:!?\]}]+$/, ''),
  )
  return [...new Set(found.map((address) => (/^https?:/i.test(address) ? address : `https://${address}`)))]
}

/**
 * The text that a request wants read, or the sentence that says why there is none; empty when none was named.
 */
export async function* readSource(
  rest: string,
  scene: Scene,
): AsyncGenerator<Step, Material | string, Outcome> {
  const text = rest
    .replace(/^[\s:,-]+/, '')
    .replace(/^(?:the )?(?:following|text|this)\s*(?:(?:text|article|email)\s*)?:\s*/i, '')
    .trim()
  const count = text.split(/\s+/).length
  const short = count < 12
  const [url] = addressesIn(text)
  if (url && short) return yield* readPage(url, scene)
  const path = new RegExp(`^(?:(?:of|from|in|the|file|my) ){0,6}(${PATH})$`, 'iu').exec(text)?.[1]
  if (path && short && !/^["'].*\s/.test(path)) return yield* readFile(unquote(path), scene)
  if (count > 2 && !SOURCE.test(text)) return { title: 'your text', text: unquote(text) }
  return scene.attachments[0] ?? scene.material ?? ''
}

async function* readFile(path: string, scene: Scene): AsyncGenerator<Step, Material | string, Outcome> {
  if (!scene.tools.has('files')) return lacks('files')
  const read = yield tryCall('files', { action: 'read', path })
  return materialOf(read) ?? compose(read)
}

/** Fetches a page with the first tool that can. */
export async function* readPage(url: string, scene: Scene): AsyncGenerator<Step, Material | string, Outcome> {
  const inputs = { web_fetch: { url }, browser: { action: 'read', url } }
  const [tool, input] = Object.entries(inputs).find(([name]) => scene.tools.has(name)) ?? []
  if (!tool || !input) return lacks('web_fetch')
  const fetched = yield tryCall(tool, input)
  if (fetched.failed) return compose(fetched)
  const status = Number(record(fetched.output).status ?? 200)
  if (status >= 400) return `${url} answered with status ${status}, so there is nothing to read.`
  const { title = url, text = '' } = materialOf(fetched) ?? {}
  if (text.trim() === '') return `${url} has no readable text.`
  return {
    title: title === tool ? url : clip(title.replace(/\s+/g, ' ').trim(), 200),
    text,
    url: textField(fetched.output, 'url') || url,
  }
}
