import type { AnyNode, Element } from 'domhandler'
import { permanentError } from '../node-type.ts'

/** Characters of a page that is searched. */
const maxPage = 4 * 1024 * 1024

/** What to take from the elements that a selector finds. */
export interface Extraction {
  field: string
  selector: string
  /** `layout`: text in lines, with headings in capitals and the addresses of links. */
  take: 'text' | 'layout' | 'html' | 'attribute' | 'value'
  attribute: string
  /** Of a text: selectors of what is left out. */
  skip: string
  all: boolean
}

/** What becomes of white space in the values. */
export type Whitespace = 'keep' | 'trim' | 'collapse' | 'no_lines'

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

/** Fields of a page by CSS selectors: of the first element, or all together for a text, or a list. */
export async function extracted(
  html: string,
  extractions: readonly Extraction[],
  whitespace: Whitespace,
): Promise<Record<string, unknown>> {
  if (html.length > maxPage) throw permanentError('too_large', `A page has at most ${maxPage} characters`)
  const [{ parseDocument }, { selectAll }, { render }, { textContent }] = await Promise.all([
    import('htmlparser2'),
    import('css-select'),
    import('dom-serializer'),
    import('domutils'),
  ])
  const page = parseDocument(html.replace(/\r\n?/g, '\n'))
  const select = (selector: string, within: AnyNode | AnyNode[]): Element[] => {
    try {
      return selectAll<AnyNode, Element>(selector, within)
    } catch (thrown) {
      throw thrown instanceof RangeError
        ? tooDeep()
        : permanentError('invalid_selector', `${selector} is not a CSS selector`)
    }
  }
  const { convert } = extractions.some(({ take }) => take === 'layout')
    ? await import('html-to-text')
    : { convert: null }
  const laidOut = (inner: string, skip: string): string => {
    const selectors = skip === '' ? [] : skip.split(',').map((one) => ({ selector: one.trim(), format: 'skip' }))
    return convert?.(inner, { selectors }) ?? ''
  }
  const clean = cleaning[whitespace]
  const textOf = (element: Element, { skip }: Pick<Extraction, 'skip'>): string => {
    const skipped = new Set<AnyNode>(skip === '' ? [] : select(skip, element))
    return skipped.size === 0 ? textContent(element) : textWithout(element, skipped)
  }
  const partOf = (element: Element, { take, attribute, skip }: Extraction): string | undefined => {
    if (take === 'attribute') return element.attribs[attribute]
    if (take === 'value') return formValue(element, textContent)
    if (take === 'html') return clean(render(element.children))
    if (take === 'layout') return clean(laidOut(render(element.children), skip))
    return clean(textOf(element, { skip }))
  }
  try {
    return Object.fromEntries(
      extractions.map((extraction) => {
        const elements = select(extraction.selector, page)
        if (extraction.all) return [extraction.field, elements.map((element) => partOf(element, extraction))]
        if (extraction.take === 'text') {
          const texts = elements.map((element) => textOf(element, extraction))
          return [extraction.field, clean(texts.join('')) || undefined]
        }
        return [extraction.field, elements[0] && partOf(elements[0], extraction)]
      }),
    )
  } catch (thrown) {
    throw thrown instanceof RangeError ? tooDeep() : thrown
  }
}

const tooDeep = () => permanentError('too_deep', 'The elements of the page are nested too deeply')

function textWithout(node: AnyNode, skipped: ReadonlySet<AnyNode>): string {
  if (skipped.has(node)) return ''
  if ('children' in node) return node.children.map((child) => textWithout(child, skipped)).join('')
  return node.type === 'text' ? node.data : ''
}

function formValue({ name, attribs, children }: Element, textContent: (node: AnyNode[]) => string): string | undefined {
  if (name === 'textarea') return textContent(children)
  if (name !== 'select') return attribs.value
  const options = children.filter((child): child is Element => child.type === 'tag' && child.name === 'option')
  const chosen = options.find((option) => 'selected' in option.attribs) ?? options[0]
  return chosen ? (chosen.attribs.value ?? textContent(chosen.children)) : undefined
}
