import { gapAround, isFrame, isHidden, isMain, markOf } from './elements.ts'
import { Flow } from './flow.ts'

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

interface Open {
  name: string
  hidden: boolean
  frame: boolean
  main: boolean
  verbatim: boolean
  link: Link | null
}

const page: Open = { name: '', hidden: false, frame: false, main: false, verbatim: false, link: null }

/** Main content shorter than this is a stub; then the whole page is read. */
const leastMain = 200
/** No page is nested this deep; the parser would need time squared in the depth. */
const mostDepth = 1_000
/** Characters given to the parser at once. */
const chunk = 4_096

/**
 * What a person would read on a page, as light Markdown. Elements that are hidden are left out, and so are menus,
 * side bars and footers unless there is nothing else.
 */
export async function readable(html: string, base: string): Promise<Readable> {
  const { Parser } = await import('htmlparser2')
  const reader = new PageReader(base)
  const parser = new Parser({
    onopentag: (name, attributes) => reader.open(name, attributes),
    ontext: (text) => reader.text(text),
    onclosetag: () => reader.close(),
  })
  for (let at = 0; at < html.length && reader.depth < mostDepth; at += chunk)
    parser.write(html.slice(at, at + chunk))
  parser.end()
  return reader.result()
}

/** Hears a page tag by tag; what an element inherits is kept with it, so no tag costs more than another. */
class PageReader {
  readonly #base: string
  readonly #stack: Open[] = []
  readonly #main = new Flow()
  readonly #body = new Flow()
  readonly #frame = new Flow()
  readonly #title = new Flow()
  #titled = false
  /** Stands before the next text: of a heading, a list item, a cell. */
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

  open(name: string, attributes: Record<string, string>): void {
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

  #begin(element: Open, attributes: Record<string, string>): void {
    const { name } = element
    const target = this.#targetOf(element)
    target.gap(gapAround(name))
    this.#mark = markOf(name) || this.#mark
    if (name === 'hr') target.raw('---')
    if (name === 'pre') target.raw('```\n')
    if (name === 'a' && !element.verbatim)
      element.link = this.#linkTo(attributes.href, target) ?? element.link
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
    const parts = this.#main.length >= leastMain ? [this.#main] : [this.#main, this.#body]
    const text = parts.map(String).filter(Boolean).join('\n\n') || String(this.#frame)
    return { title: String(this.#title), text }
  }
}
