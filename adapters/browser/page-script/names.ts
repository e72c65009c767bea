import { ancestorsOf, isRendered, parentOf } from './geometry.ts'

/** The names of elements, and the text around them. */

/**
 * The visible text of a node with white space collapsed, at most `max` characters, without descendants that
 * match `skipped`.
 */
export function textIn(node: Node, max: number, skipped = ''): string {
  if (node.nodeType === 3) return collapsed(node.nodeValue ?? '', max)
  const { firstChild } = node
  if (!firstChild) return ''
  // The usual case, without a tree walker.
  if (firstChild.nodeType === 3 && !firstChild.nextSibling && node instanceof Element)
    return hasNoText(node) || !isRendered(node) ? '' : collapsed(firstChild.nodeValue ?? '', max)
  const walker = Document.prototype.createTreeWalker.call(document, node, NodeFilter.SHOW_TEXT)
  let text = ''
  for (let left = 400; left > 0 && text.length < max && walker.nextNode(); left -= 1) {
    const { parentElement, nodeValue } = walker.currentNode
    if (!nodeValue?.trim() || !parentElement) continue
    if (hasNoText(parentElement) || (skipped !== '' && isWithin(parentElement, node, skipped))) continue
    if (isRendered(parentElement)) text += ` ${nodeValue}`
  }
  return collapsed(text, max)
}

export function collapsed(text: string, max: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, max)
}

function hasNoText({ localName }: Element): boolean {
  return /^(script|style|noscript|template)$/.test(localName)
}

function isWithin(element: Element, outer: Node, skipped: string): boolean {
  for (let node: Element | null = element; node && node !== outer; node = parentOf(node))
    if (node.matches(skipped)) return true
  return false
}

/**
 * The accessible name as far as people see it (a short form of https://www.w3.org/TR/accname-1.2/), and for
 * elements without one, the nearby text or a hint. `dom-accessibility-api` takes 91-380 ms for 2,000 mixed
 * elements, and names 1 of the 10 fields of test/fixtures/browser/labels.html.
 */
export function labelOf(element: Element): string {
  const max = 100
  const named = labelledBy(element, max) || (element.getAttribute('aria-label') ?? '').trim()
  if (named) return named
  if (element === document.documentElement) return document.title
  return fieldLabel(element, max) || contentLabel(element, max) || hintLabel(element)
}

function labelledBy(element: Element, max: number): string {
  const ids = element.getAttribute('aria-labelledby')
  if (!ids) return ''
  const root = element.getRootNode() as Document | ShadowRoot
  return ids
    .split(/\s+/)
    .map((id) => (id ? root.getElementById(id) : null))
    .map((other) => (other ? textIn(other, max) : ''))
    .join(' ')
    .trim()
}

function fieldLabel(element: Element, max: number): string {
  const { labels } = element as HTMLInputElement
  if (!labels?.length && !/^(input|textarea|select)$/.test(element.localName)) return ''
  const named = [...(labels ?? [])]
    .map((label) => textIn(label, max))
    .join(' ')
    .trim()
  if (named) return named
  if (element instanceof HTMLInputElement) {
    if (/^(button|submit|reset)$/.test(element.type))
      return element.value || (element.type === 'submit' ? 'Submit' : 'Reset')
    if (element.type === 'image') return element.alt
  }
  if (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  )
    return element.getAttribute('placeholder') || element.title || nearbyText(element) || element.name || element.id
  return ''
}

/** Whether a field is named only by the text near it, which may belong to something else. */
export function hasBorrowedLabel(element: Element): boolean {
  if (!/^(input|textarea|select)$/.test(element.localName)) return false
  const { labels, type } = element as HTMLInputElement
  if (labels?.length || /^(button|submit|reset|image)$/.test(type)) return false
  if (['aria-label', 'aria-labelledby', 'placeholder', 'title'].some((name) => element.getAttribute(name))) return false
  return nearbyText(element) !== ''
}

/** The text before a field without a label, which is how many forms name their fields. */
function nearbyText(element: Element): string {
  if (/^(checkbox|radio)$/.test((element as HTMLInputElement).type)) {
    const after = element.nextSibling && textIn(element.nextSibling, 60)
    if (after) return after
  }
  const cell = element.closest('td')
  const head = cell?.closest('table')?.rows[0]?.cells[cell.cellIndex]
  for (const start of [element, cell, parentOf(element)]) {
    let before = start?.previousSibling ?? null
    for (let left = 4; before && left > 0; left -= 1, before = before.previousSibling) {
      if (before instanceof Element && isOfField(before)) break
      const text = textIn(before, 60)
      if (text) return text
    }
  }
  return head?.localName === 'th' ? textIn(head, 60) : textAfter(element)
}

/** The text after a field that is the only one in its parent. */
function textAfter(element: Element): string {
  const { nextSibling } = element
  const others = parentOf(element)?.querySelectorAll('input, select, textarea, button, [contenteditable]')
  for (let after = others?.length === 1 ? nextSibling : null; after; after = after.nextSibling) {
    const text = textIn(after, 60)
    if (text) return text
  }
  return ''
}

/** Another field, or the label of one. */
function isOfField(element: Element): boolean {
  const fields = 'input, select, textarea, button, label, [contenteditable]'
  if (!element.matches(fields)) return element.querySelector(fields) !== null
  return !(element instanceof HTMLLabelElement) || element.control !== null
}

/**
 * The container of an element that holds no other element of a group with the same name: its row of a list or
 * table.
 */
export interface Row {
  element: Element
  container: Element | null
  /** The heading before the container, for a row without any other text. */
  heading: Element | null
}

export function rowOf(element: Element, crowd: ReadonlyMap<Element, number>): Row {
  let container: Element | null = null
  for (const node of ancestorsOf(element)) {
    if (node === document.body || (crowd.get(node) ?? 0) > 1) break
    container = node
  }
  const before = container?.previousElementSibling ?? null
  return { element, container, heading: before && !crowd.has(before) ? before : null }
}

/** The text of a row without that of the element itself. */
export function rowText({ element, container, heading }: Row, max = 60): string {
  const words = container ? textIn(container, 160, 'ul, ol, [role=group]') || textIn(container, 160) : ''
  const pictures = container ? picturesIn(container, element) : ''
  const own = textIn(element, 100)
  const around = collapsed(`${own ? words.replace(own, ' ') : words} ${pictures}`, 160)
  if (around) return around.slice(0, max)
  return heading ? textIn(heading, max) : ''
}

/** The alternative texts of the images in a row, except those within the element itself. */
function picturesIn(row: Element, element: Element): string {
  const texts: string[] = []
  for (const picture of row.getElementsByTagName('img')) {
    const alt = texts.length < 6 ? picture.alt.trim() : ''
    if (alt && !element.contains(picture) && isRendered(picture)) texts.push(alt)
  }
  return texts.join(' ')
}

/** The number of these elements in each element, including itself. */
export function crowdOf(elements: readonly Element[]): Map<Element, number> {
  const crowd = new Map<Element, number>()
  for (const element of elements)
    for (const node of [element, ...ancestorsOf(element)]) crowd.set(node, (crowd.get(node) ?? 0) + 1)
  return crowd
}

function contentLabel(element: Element, max: number): string {
  if (element instanceof HTMLIFrameElement) return element.title || element.name
  if (element instanceof HTMLImageElement) return element.alt
  const editable = (element as HTMLElement).isContentEditable
  // A row is not named after the buttons in it, nor a tree item after its children.
  const others =
    'button, a[href], select, textarea, [role=button], [contenteditable], ul, ol, [role=group], [role=menu]'
  const role = element.getAttribute('role') ?? ''
  const isBox = /^(listbox|grid|tree|menu|menubar|radiogroup|tablist|toolbar|table|application)$/.test(role)
  const own = editable || isBox ? '' : textIn(element, max, others) || textIn(element, max)
  if (own.trim() !== '' && !/^[\p{Co}\s]+$/u.test(own)) return own
  const picture = element.querySelector('img[alt], [aria-label], svg title, [title]')
  return (
    element.getAttribute('title') ||
    element.getAttribute('alt') ||
    picture?.getAttribute('alt') ||
    picture?.getAttribute('aria-label') ||
    picture?.getAttribute('title') ||
    picture?.textContent?.trim() ||
    element.getAttribute('aria-placeholder') ||
    element.getAttribute('data-placeholder') ||
    ''
  )
}

/** A description of an element without any text: test id, id, classes, colour, position and size. */
export function hintLabel(element: Element): string {
  const own = [
    element.getAttribute('data-testid') ?? '',
    element.id && `#${element.id}`,
    ...distinctClasses(element).map((name) => `.${name}`),
  ]
  const { left, top, width, height } = element.getBoundingClientRect()
  const fill =
    element instanceof SVGElement ? getComputedStyle(element).fill : getComputedStyle(element).backgroundColor
  const plain = /^(rgba\(0, 0, 0, 0\)|none)$/.test(fill) || /^(input|select|textarea|button)$/.test(element.localName)
  const colour = plain ? '' : fill.replace(/\s/g, '')
  const place = `at ${Math.round(left)},${Math.round(top)} size ${Math.round(width)}x${Math.round(height)}`
  return [...own, colour, place].filter((part) => part !== '').join(' ')
}

/** Class names: first those that no neighbour has, then those of the icon in it, then the rest. */
function distinctClasses(element: Element): string[] {
  const own = [...element.classList]
  const icons = element.firstElementChild ? iconNames(element) : []
  if (own.length < 2 && icons.length === 0) return own
  const around = classesAround(element)
  const unique = own.filter((name) => !around.includes(` ${name} `))
  const shared = own.filter((name) => !unique.includes(name))
  const names = [...unique.slice(0, 3), ...icons, ...shared]
  return [...new Set(names)].slice(0, Math.max(3, Math.min(unique.length, 3) + 2))
}

/**
 * Class names of the next four siblings on each side; all of them would be too slow in a grid of thousands.
 */
function classesAround(element: Element): string {
  let around = ' '
  let { previousElementSibling: before, nextElementSibling: after } = element
  for (let left = 4; left > 0 && (before || after); left -= 1) {
    if (before) around += `${before.getAttribute('class') ?? ''} `
    if (after) around += `${after.getAttribute('class') ?? ''} `
    before = before?.previousElementSibling ?? null
    after = after?.nextElementSibling ?? null
  }
  return around.replace(/\s/g, ' ')
}

/**
 * The name of the icon in an element: the drawing it uses, or its last classes, which are the most specific.
 */
function iconNames(element: Element): string[] {
  const icon = element.querySelector('i[class], svg[class], span[class]')
  const use = element.querySelector('use')
  const drawing = use?.getAttribute('href') ?? use?.getAttribute('xlink:href') ?? ''
  const named = drawing.replace(/^.*#/, '').slice(0, 30)
  return [...(named ? [named] : []), ...[...(icon?.classList ?? [])].reverse().slice(0, 2)]
}
