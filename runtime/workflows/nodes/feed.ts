import { z } from 'zod'
import { readBytes } from '../../http/body.ts'
import { decode } from '../../tools/receive.ts'
import { feedItems } from '../formats/feed.ts'
import { nodeType } from '../node-type.ts'
import { failRequest, statusError } from './requests.ts'

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
    try {
      const response = await context.outbound.fetch(url, { headers: { accept }, signal })
      const bytes = await readBytes(response, maxFeed)
      if (!response.ok) throw statusError(response.status, url, decode(bytes, response.headers))
      return { output: (await feedItems(context, decode(bytes, response.headers))).slice(0, max_items) }
    } catch (thrown) {
      failRequest(thrown, { signal, host: url })
    }
  },
})
