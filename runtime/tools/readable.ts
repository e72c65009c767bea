export interface Readable {
  title: string
  text: string
}

interface Link {
  href: string
  /** Collects the link's own text. */
  label: Flow
  into: Flow
}

/** An open element, with what it inherits from those around it. */
interface Open {
  name: string
  hidden: boolean
  frame: boolean
  main: boolean
  verbatim: boolean
  link: Link | null
}

type Attributes = Record<string, string>
type Gap = '' | ' ' | '\n' | '\n\n'

const page: Open = { name: '', hidden: false, frame: false, main: false, verbatim: false, link: null }

/** Main content shorter than this is a stub; then the whole page is read. */
const minMain = 200
/** No real page is nested this deeply; the parser would need quadratic time. */
const maxDepth = 1_000
/** Characters given to the parser at once. */
const chunk = 4_096

/**
 * The readable text of a page, as light Markdown. Hidden elements are left out, and so are menus, sidebars
 * and footers unless there is nothing else.
 */
export async function readable(html: string, base: string): Promise<Readable> {
  const { Parser } = await import('htmlparser2')
  const reader = new PageReader(base)
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    ontext: (text) => reader.text(text),
    onclosetag: () => reader.close(),
  })
  for (let at = 0; at < html.length && reader.depth < maxDepth; at += chunk) parser.write(html.slice(at, at + chunk))
  parser.end()
  return reader.result()
}

/** Reads a page tag by tag; what an element inherits is kept with it, so no tag costs more than another. */
class PageReader {
  readonly #base: string
  readonly #stack: Open[] = []
  readonly #main = new Flow()
  readonly #body = new Flow()
  readonly #frame = new Flow()
  readonly #title = new Flow()
  #titled = false
  /** Prefix of the next text: of a heading, a list item, a cell. */
  #mark = ''

  constructor(base: string) {
    this.#base = base
  }

  get depth(): number {
    return this.#stack.length
  }

  get #current(): Open {
    return this.#stack.at(-1) ?? page
  }

  open(name: string, attributes: Attributes): void {
    const parent = this.#current
    const element: Open = {
      name,
      hidden: parent.hidden || isHidden(name, attributes),
      frame: parent.frame || isFrame(name, attributes),
      main: parent.main || isMain(name, attributes),
      verbatim: parent.verbatim || name === 'pre',
      link: parent.link,
    }
    this.#stack.push(element)
    if (!element.hidden) this.#begin(element, attributes)
  }

  #begin(element: Open, attributes: Attributes): void {
    const { name } = element
    const target = this.#targetOf(element)
    target.gap(gapAround(name))
    this.#mark = markOf(name) || this.#mark
    if (name === 'hr') target.raw('---')
    if (name === 'pre') target.raw('```\n')
    if (name === 'a' && !element.verbatim) element.link = this.#linkTo(attributes.href, target) ?? element.link
    if (name === 'img' && attributes.alt?.trim()) this.text(`[image: ${attributes.alt.trim()}]`)
  }

  #linkTo(href: string | undefined, into: Flow): Link | null {
    // A jump within the page is of no use to a reader of text.
    const url = href === undefined || href.startsWith('#') ? null : URL.parse(href, this.#base)
    return url && /^(https?|mailto):$/.test(url.protocol) ? { href: url.href, label: new Flow(), into } : null
  }

  text(text: string): void {
    const element = this.#current
    if (element.name === 'title' && !this.#titled) this.#title.text(text)
    if (element.hidden) return
    const target = this.#targetOf(element)
    if (text.trim() !== '' && !element.link) this.#putMark(target)
    if (element.verbatim) target.raw(text)
    else target.text(text)
  }

  #putMark(target: Flow): void {
    if (this.#mark === '') return
    target.raw(this.#mark)
    target.gap(' ')
    this.#mark = ''
  }

  close(): void {
    const element = this.#stack.pop()
    if (element?.name === 'title') this.#titled = !this.#title.empty
    if (!element || element.hidden) return
    if (element.link && element.link !== this.#current.link) this.#endLink(element.link)
    const target = this.#targetOf({ ...element, link: this.#current.link })
    if (element.name === 'pre') target.raw('\n```')
    target.gap(gapAround(element.name))
    if (markOf(element.name) !== '') this.#mark = ''
  }

  #endLink({ href, label, into }: Link): void {
    const text = String(label).replace(/\s+/g, ' ')
    if (text === '') return
    this.#putMark(into)
    into.raw(`[${text}](${href})`)
  }

  #targetOf({ link, frame, main }: Open): Flow {
    if (link) return link.label
    if (frame) return this.#frame
    return main ? this.#main : this.#body
  }

  result(): Readable {
    const parts = this.#main.length >= minMain ? [this.#main] : [this.#main, this.#body]
    const text = parts.map(String).filter(Boolean).join('\n\n') || String(this.#frame)
    return { title: String(this.#title), text }
  }
}

/**
 * Running text with the white space of a page: spaces collapse, blocks are separated.
 * Every piece is appended once, so that a page of any size costs time in proportion.
 */
class Flow {
  readonly #parts: string[] = []
  #gap: Gap = ''
  /** Characters so far, gaps not counted. */
  length = 0

  get empty(): boolean {
    return this.#parts.length === 0
  }

  /** Requires at least this much space before the next text. */
  gap(gap: Gap): void {
    if (gap.length > this.#gap.length || (gap === '\n' && this.#gap === ' ')) this.#gap = gap
  }

  /** Text of a page: any white space in it becomes one space. */
  text(text: string): void {
    const words = text.replace(/\s+/g, ' ')
    if (words.startsWith(' ')) this.gap(' ')
    const bare = words.trim()
    if (bare !== '') this.raw(bare)
    if (bare !== '' && words.endsWith(' ')) this.gap(' ')
  }

  /** Text that is kept unchanged. */
  raw(text: string): void {
    if (this.#gap !== '' && !this.empty) this.#parts.push(this.#gap)
    this.#gap = ''
    this.#parts.push(text)
    this.length += text.length
  }

  toString(): string {
    return this.#parts.join('').trim()
  }
}

/** Elements whose content is not meant to be read. */
const unread = new Set(
  `script style noscript template svg math canvas iframe object embed audio video map title button select textarea input
  dialog`.split(/\s+/),
)

/** Elements around a page's own content. */
const frame = new Set(['nav', 'footer', 'aside', 'menu'])
const frameRoles = new Set([
  'navigation',
  'banner',
  'contentinfo',
  'complementary',
  'search',
  'menu',
  'menubar',
  'dialog',
  'alertdialog',
])

const apart = new Set(
  `address article blockquote dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup
  hr main nav ol p pre section summary table ul`.split(/\s+/),
)
const ownLine = new Set(['br', 'li', 'tr', 'option', 'caption', 'dt', 'dd'])

/** Not shown to a person, so not shown to a model either: injected instructions are often in hidden text. */
function isHidden(name: string, attributes: Attributes): boolean {
  if (unread.has(name) || 'hidden' in attributes || attributes['aria-hidden'] === 'true') return true
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.style ?? '')
}

const isFrame = (name: string, attributes: Attributes): boolean =>
  frame.has(name) || frameRoles.has(attributes.role ?? '')

const isMain = (name: string, attributes: Attributes): boolean =>
  name === 'main' || name === 'article' || attributes.role === 'main'

/** The space that an element puts before and after itself. */
function gapAround(name: string): Gap {
  if (ownLine.has(name)) return '\n'
  if (apart.has(name)) return '\n\n'
  return name === 'td' || name === 'th' ? ' ' : ''
}

/** The prefix of an element's text. */
function markOf(name: string): string {
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level) return '#'.repeat(Number(level))
  if (name === 'li') return '-'
  return name === 'td' || name === 'th' ? '|' : ''
}
