import { selectAll } from 'css-select'
import { render } from 'dom-serializer'
import type { AnyNode, Element } from 'domhandler'
import { textContent } from 'domutils'
import { convert } from 'html-to-text'
import { parseDocument } from 'htmlparser2'
import { Marked } from 'marked'
import { NodeHtmlMarkdown } from 'node-html-markdown'
import type { Extraction, Whitespace } from '../../../runtime/workflows/formats/html.ts'
import { define } from './host.ts'

/** These libraries take quadratic time for some texts, so they run within the limits of code. */

const cleaning: Record<Whitespace, (text: string) => string> = {
  keep: (text) => text,
  trim: (text) => text.trim(),
  collapse: (text) => text.replace(/\s+/g, ' ').trim(),
  no_lines: (text) =>
    text
      .trim()
      .replace(/\r?\n|\r/g, '')
      .replace(/\s+/g, ' '),
}

function select(selector: string, within: AnyNode | AnyNode[]): Element[] {
  try {
    return selectAll<AnyNode, Element>(selector, within)
  } catch (thrown) {
    if (thrown instanceof RangeError) throw thrown
    throw new Error(`${selector} is not a CSS selector`)
  }
}

/** Fields of a page by CSS selectors: of the first element, or all together for a text, or a list. */
function extracted(html: string, extractions: readonly Extraction[], whitespace: Whitespace): Record<string, unknown> {
  const page = parseDocument(html.replace(/\r\n?/g, '\n'))
  const clean = cleaning[whitespace]
  const partOf = (element: Element, extraction: Extraction): string | undefined => {
    const { take, attribute, skip } = extraction
    if (take === 'attribute') return element.attribs[attribute]
    if (take === 'value') return formValue(element)
    if (take === 'html') return clean(render(element.children))
    return clean(take === 'layout' ? laidOut(element, skip) : textOf(element, skip))
  }
  return Object.fromEntries(
    extractions.map((extraction) => {
      const elements = select(extraction.selector, page)
      if (extraction.all) return [extraction.field, elements.map((element) => partOf(element, extraction))]
      if (extraction.take !== 'text') return [extraction.field, elements[0] && partOf(elements[0], extraction)]
      const texts = elements.map((element) => textOf(element, extraction.skip))
      return [extraction.field, clean(texts.join('')) || undefined]
    }),
  )
}

function laidOut(element: Element, skip: string): string {
  const selectors = skip === '' ? [] : skip.split(',').map((one) => ({ selector: one.trim(), format: 'skip' }))
  return convert(render(element.children), { selectors })
}

function textOf(element: Element, skip: string): string {
  const skipped = new Set<AnyNode>(skip === '' ? [] : select(skip, element))
  return skipped.size === 0 ? textContent(element) : textWithout(element, skipped)
}

function textWithout(node: AnyNode, skipped: ReadonlySet<AnyNode>): string {
  if (skipped.has(node)) return ''
  if ('children' in node) return node.children.map((child) => textWithout(child, skipped)).join('')
  return node.type === 'text' ? node.data : ''
}

function formValue({ name, attribs, children }: Element): string | undefined {
  if (name === 'textarea') return textContent(children)
  if (name !== 'select') return attribs.value
  const options = children.filter((child): child is Element => child.type === 'tag' && child.name === 'option')
  const chosen = options.find((option) => 'selected' in option.attribs) ?? options[0]
  return chosen && (chosen.attribs.value ?? textContent(chosen.children))
}

/**
 * Markdown (GitHub's) as HTML; HTML in the text stays as it is. Like Showdown, headings get an id by their text, and three
 * dots become one character.
 */
function toHtml(text: string, flavor: 'github' | 'showdown'): string {
  const marked = new Marked()
  if (flavor === 'showdown')
    marked.use({
      walkTokens(token) {
        if (token.type === 'text') token.text = token.text.replaceAll('...', '…')
      },
      renderer: {
        heading({ tokens, depth, text: title }) {
          const id = title.toLowerCase().replace(/[^\w]/g, '')
          return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`
        },
      },
    })
  return String(marked.parse(text)).trimEnd()
}

/** HTML as Markdown; what it does not know is left out but for its text. */
const toMarkdown = (html: string, options: object): string => NodeHtmlMarkdown.translate(html, options)

define('markup', { extracted, toHtml, toMarkdown })
