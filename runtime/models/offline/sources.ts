import { clip } from '../../english/text.ts'
import { compose } from './compose.ts'
import { materialOf, record, textField } from './conversation.ts'
import { PATH } from './grammar.ts'
import { lacks } from './notice.ts'
import { cue, unquote } from './text.ts'
import { type Material, type Outcome, type Scene, type Step, tryCall } from './types.ts'

/** Whether a text is nothing but "it", "the summary" or the like: it means earlier material. */
export const isBackReference = (text: string): boolean => cue('only_it').test(text.trim())

/** Whether a clause may mean what an earlier clause returns, so that it has to wait. */
export const mayReferBack = (text: string): boolean => cue('has_it').test(text)

/** Web addresses in a text, with a scheme, without the punctuation that follows them. */
export function addressesIn(text: string): string[] {
  const addresses = [...text.matchAll(cue('address', 'g'))].map(([address]) =>
    address.replace(/(?<![).,;:!?\]}])[).,;:!?\]}]+$/, ''),
  )
  return [...new Set(addresses.map((address) => (/^https?:/i.test(address) ? address : `https://${address}`)))]
}

/**
 * The text that a request wants read, or the sentence that says why there is none; empty when none was named.
 */
export async function* readSource(rest: string, scene: Scene): AsyncGenerator<Step, Material | string, Outcome> {
  const text = rest
    .replace(/^[\s:,-]+/, '')
    .replace(cue('text_label'), '')
    .trim()
  const count = text.split(/\s+/).length
  const short = count < 12
  const [url] = addressesIn(text)
  if (url && short) return yield* readPage(url, scene)
  const path = new RegExp(`^(?:(?:of|from|in|the|file|my) ){0,6}(${PATH})$`, 'iu').exec(text)?.[1]
  if (path && short && !/^["'].*\s/.test(path)) return yield* readFile(unquote(path), scene)
  if (count > 2 && !cue('source').test(text)) return { title: 'your text', text: unquote(text) }
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
