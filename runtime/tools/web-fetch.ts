import { z } from 'zod'
import type { Context } from '../context.ts'
import { documentKind } from '../documents/document.ts'
import { readDocument } from '../documents/read.ts'
import { type Readable, readable } from './readable.ts'
import { absoluteUrl, decode, isHtml, isText, mediaType, parseUrl, type Received, receive } from './receive.ts'
import { clipped, cut } from './text.ts'
import { ToolError, tool } from './tool.ts'

const accept =
  'text/html,application/xhtml+xml,text/markdown,text/plain,application/json,application/xml;q=0.9,*/*;q=0.5'

export const webFetch = tool({
  name: 'web_fetch',
  description:
    'Reads a public web page: its main text as light Markdown with its links, or the text of JSON, plain, ' +
    'PDF and office files. Use it to look something up at a known address. It sends no forms, runs no scripts and is signed in ' +
    'nowhere.',
  input: z.object({
    url: z.string().min(1).max(4_096),
    max_chars: z.int().min(100).max(200_000).default(20_000).describe('Maximum length of the text'),
  }),
  // An address can leak what was read before: see `riskHere` in `runtime/chat/turn/tool-step.ts`.
  risk: () => 'medium',
  reaches: ({ url }) => parseUrl(url)?.href ?? null,
  untrusted: () => true,
  timeout_seconds: 20,
  summary: ({ url }) => `Fetch ${clipped(url, 200)}`,
  async run({ url, max_chars }, { context, signal }) {
    const requested = absoluteUrl(url)
    const received = await receive(context, requested, { headers: { accept }, signal })
    const address = received.response.url || requested
    const page = await readPage(context, received, address)
    const { text, truncated } = cut(page.text, max_chars)
    const { status } = received.response
    return { url: address, status, title: page.title, text, truncated: truncated || received.partial }
  },
})

async function readPage(
  context: Context,
  { response: { headers }, bytes, partial }: Received,
  url: string,
): Promise<Readable> {
  const type = mediaType(headers)
  const kind = documentKind(type, new URL(url).pathname)
  if (kind) {
    const read = partial ? { why: 'it is too large' } : await readDocument(context, kind, bytes)
    if ('why' in read) throw new ToolError(`${url} cannot be read: ${read.why}`)
    return { title: '', text: read.text }
  }
  if (!isText(type, bytes)) {
    throw new ToolError(
      `${url} is ${type || 'a binary file'}, which has no text to read; look for a page that describes it`,
    )
  }
  const text = decode(bytes, headers)
  return isHtml(type, text) ? readable(text, url) : { title: '', text }
}
