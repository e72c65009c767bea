import { compose } from '../compose.ts'
import { extractEntities } from '../extract.ts'
import { addressesIn, readPage } from '../sources.ts'
import { summarise } from '../summarise.ts'
import { quoted } from '../text.ts'
import { call, type Intent, type Material, matched, type Scene, type Script, say } from '../types.ts'
import { namesFound } from './extract.ts'

const VERB =
  /\b(?:fetch|get|read|open|load|visit|browse|go to|navigate|look at|check|show|download|scrape|crawl|summari[sz]e|summary|tl;?dr|gist|what(?:'s| is| are| does| do)|who|tell me|scan|see|find|extract|list|about)\b/i
const NO_ADDRESS =
  /^(?:fetch|summari[sz]e|read|open|visit|load)(?: me)? (?:an?|the|this|that|some) (?:web ?)?(?:page|site|website|url|link|address|article)$/i
const OPEN = /^(?:open|go to|browse(?: to)?|visit|navigate to)\s+\S+(?: in (?:the |a |my )?browser)?$/i
const NAMES =
  /\b(?:entities|names|people|persons?|who|places|companies|organi[sz]ations)\b.*\b(?:mention|in|on|from|at)\b/i
const MAX_PAGES = 3

export const fetchPage: Intent = {
  name: 'fetch',
  title: 'Read web pages',
  tools: ['web_fetch', 'http_request', 'browser'],
  examples: ['summarise https://example.com', 'what does https://example.com say about prices'],
  match(text) {
    if (NO_ADDRESS.test(text)) return matched(0.8)
    const [url] = addressesIn(text)
    if (!url) return null
    const spelled = /https?:\/\//i.test(text)
    const only = text.replace(/\S+\.\S+/, '').trim() === ''
    if (!VERB.test(text) && !only) return spelled ? matched(0.6, slotsOf(text)) : null
    return matched(spelled || only ? 0.9 : 0.75, slotsOf(text))
  },
  async *run({ slots }, scene) {
    const urls = addressesIn(slots.text ?? '').slice(0, MAX_PAGES)
    if (urls.length === 0) yield say('Which web address should I read?')
    if (slots.mode === 'open' && scene.tools.has('browser')) return yield* openInBrowser(urls[0] ?? '')
    let material: Material | undefined
    for (const url of urls) material = (yield* onePage(url, slots, scene)) ?? material
    return material
  },
}

function slotsOf(text: string): Record<string, string> {
  const focus =
    /\babout (?!it\b|this\b|that\b|https?:|www\.)(.+?)(?: (?:on|at|from|in) (?:https?:|www\.)\S+)?$/i.exec(
      text,
    )?.[1] ?? ''
  const mode = OPEN.test(text)
    ? 'open'
    : NAMES.test(text.replace(/https?:\S+/g, ' in it'))
      ? 'names'
      : 'summary'
  return { text, mode, focus: focus.replace(/https?:\S+/g, '').trim() }
}

async function* openInBrowser(url: string): Script {
  const opened = yield call('browser', { action: 'open', url })
  yield say(compose(opened))
  return undefined
}

async function* onePage(url: string, slots: Record<string, string>, scene: Scene): Script {
  const page = yield* readPage(url, scene)
  if (typeof page === 'string') {
    yield say(page)
    return undefined
  }
  yield say(
    slots.mode === 'names'
      ? namesFound(await extractEntities(page.text), page.title)
      : told(page, slots.focus),
  )
  return page
}

function told(page: Material, focus = ''): string {
  const summary = summarise(page.text, { count: 3, title: page.title, focus })
  const head = page.title === page.url ? page.url : `**${page.title}** (${page.url})`
  const aside = focus !== '' && !mentions(page.text, focus) ? `\n\nIt does not mention "${focus}".` : ''
  return `${head} says, in its own sentences:\n\n${quoted(summary)}${aside}`
}

function mentions(text: string, focus: string): boolean {
  return focus
    .toLowerCase()
    .split(/\s+/)
    .some((word) => word.length > 2 && text.toLowerCase().includes(word.slice(0, 6)))
}
