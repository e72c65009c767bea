import { use } from '../compose.ts'
import { extractEntities } from '../extract.ts'
import { addressesIn, readPage } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { quoted, unquote } from '../text.ts'
import {
  grammar,
  type Intent,
  type IntentMatch,
  type Material,
  type Scene,
  type Script,
  type Slots,
  say,
} from '../types.ts'
import { namesFound } from './texts.ts'

const VERB =
  /\b(?:fetch|get|read|open|load|visit|browse|go to|navigate|look at|check|show|download|scrape|crawl|summari[sz]e|summary|tl;?dr|gist|what(?:'s| is| are| does| do)|who|tell me|scan|see|find|extract|list|about)\b/i
const OPEN = /^(?:open|go to|browse(?: to)?|visit|navigate to)\s+\S+(?: in (?:the |a |my )?browser)?$/i
const NAMES = /\b(?:entities|names|people|persons?|who|places|companies|organi[sz]ations)\b(?<rest>.*)/is
const IN_PAGE = /\b(?:mention|in|on|from|at)\b/i
const ABOUT =
  /\babout (?!it\b|this\b|that\b|https?:|www\.)(.{1,300}?)(?: (?:on|at|from|in) (?:https?:|www\.)\S+)?$/i
const MAX_PAGES = 3

export const fetchPage: Intent = {
  title: 'Read web pages',
  tools: ['web_fetch', 'http_request', 'browser'],
  examples: ['summarise https://example.com', 'what does https://example.com say about prices'],
  rules: grammar`
    @ 0.8; ask: Which web address should I read?
      (fetch|summari[sz]e|read|open|visit|load)( me)? (an?|the|this|that|some) (web ?)?(page|site|website|url|link|address|article)
  `,
  refine: (match, text) => (addressesIn(text).length > 0 ? readRequest(text) : (match ?? null)),
  async *run(slots, scene) {
    const urls = addressesIn(slots.text ?? '').slice(0, MAX_PAGES)
    if (slots.mode === 'open' && scene.tools.has('browser'))
      return yield* use('browser', { action: 'open', url: urls[0] })
    let material: Material | undefined
    for (const url of urls) material = (yield* readOne(url, slots, scene)) ?? material
    return material
  },
}

function readRequest(text: string): IntentMatch | null {
  const spelled = /https?:\/\//i.test(text)
  const only = /^\S+$/.test(text)
  const focus = ABOUT.exec(text)?.[1] ?? ''
  const names = IN_PAGE.test(NAMES.exec(text.replace(/https?:\S+/g, ' in it'))?.groups?.rest ?? '')
  const mode = OPEN.test(text) ? 'open' : names ? 'names' : 'summary'
  const slots = { text, mode, focus: focus.replace(/https?:\S+/g, '').trim() }
  if (!VERB.test(text) && !only) return spelled ? { score: 0.6, slots } : null
  return { score: spelled || only ? 0.9 : 0.75, slots }
}

async function* readOne(url: string, { mode, focus = '' }: Slots, scene: Scene): Script {
  const page = yield* readPage(url, scene)
  if (typeof page === 'string') yield say(page)
  else if (mode === 'names') yield say(namesFound(await extractEntities(page.text), page.title))
  else yield say(gist(page, focus))
  return typeof page === 'string' ? undefined : page
}

function gist(page: Material, focus: string): string {
  const summary = summarise(page.text, { count: 3, title: page.title, focus })
  const head = page.title === page.url ? page.url : `**${page.title}** (${page.url})`
  const text = page.text.toLowerCase()
  const asked = focus.toLowerCase().split(/\s+/)
  const mentioned = asked.some((word) => word.length > 2 && text.includes(word.slice(0, 6)))
  const aside = focus !== '' && !mentioned ? `\n\nIt does not mention "${focus}".` : ''
  return `${head} says, in its own sentences:\n\n${quoted(summary)}${aside}`
}

const METHOD = '(?<method>GET|POST|PUT|PATCH|DELETE|HEAD)'

export const httpRequest: Intent = {
  tools: ['http_request'],
  examples: ['GET https://example.com/api', 'POST https://example.com/api with body {"a": 1}'],
  content: true,
  rules: grammar`
    @ 0.96; whole: \shttps?:\/\/\S+\s
      ((send|make|do|issue|perform) an? )?(https? )?${METHOD}(?<request> request) to (?<url>https?://\S+)
      ((send|make|do|issue|perform) )?(an? |the )?(https? )?${METHOD}\b(?<request> request)?( to)? (?<url>https?://\S+)(,?\s+(with|and)\s+(the |an? )?(json )?(body|data|json|payload):?\s+(?<body>.+)|\s+(?<json>[{[].+))?
  `,
  // "Get https://…" reads a page.
  accepts: ({ method, request }) => method !== 'get' || request !== undefined,
  run({ method = '', url = '', json: data, body = data }) {
    const json = body !== undefined && /^[[{]/.test(body)
    return use('http_request', {
      method: method.toUpperCase(),
      url: addressesIn(url)[0] ?? url,
      ...(json && { headers: { 'content-type': 'application/json' } }),
      ...(body && { body: unquote(body) }),
    })
  },
}
