import { z } from 'zod'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { decode } from '../../tools/receive.ts'
import { feedItems } from '../formats/feed.ts'
import { NodeError, nodeType, permanentError } from '../node-type.ts'

/** Bytes of a feed. */
const maxFeed = 5 * 1024 * 1024

const accept =
  'application/rss+xml, application/atom+xml, application/rdf+xml;q=0.8, application/xml;q=0.6, text/xml;q=0.4'

export const feed = nodeType({
  type: 'feed',
  title: 'RSS feed',
  description:
    'Reads an RSS or Atom feed. Its items have title, link, guid, creator, pubDate, isoDate, content and contentSnippet.',
  category: 'action',
  usual_input: 'item',
  risk: 'medium',
  params: z.object({
    url: z.string().trim().min(1).max(8_192),
    max_items: z.int().min(1).max(1_000).default(1_000),
  }),
  async run({ url, max_items }, { context }) {
    const { signal } = context
    const response = await context.outbound.fetch(url, { headers: { accept }, signal }).catch((thrown: unknown) => {
      if (signal.aborted) throw signal.reason
      if (thrown instanceof OutboundBlocked)
        throw permanentError('blocked', `The guard for outgoing requests refused it: ${thrown.message}`)
      throw new NodeError('no_answer', `No answer from ${url}`, { definite: true })
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw new NodeError(`http_${response.status}`, `${url} answered ${response.status}`, { definite: true })
    }
    const chunks: Uint8Array<ArrayBuffer>[] = []
    const reader = response.body?.getReader()
    let size = 0
    for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
      size += next.value.byteLength
      if (size > maxFeed) {
        await reader?.cancel()
        throw permanentError('too_large', `The feed has more than ${maxFeed} bytes`)
      }
      chunks.push(next.value)
    }
    const text = decode(new Uint8Array(await new Blob(chunks).arrayBuffer()), response.headers)
    return { output: (await feedItems(context, text)).slice(0, max_items) }
  },
})
