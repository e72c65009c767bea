// Runs inside a page; see kinds.ts.

declare function parentOf(node: Node): Element | null
declare function isDrawn(element: Element): boolean
declare function hintLabel(element: Element): string

/** The text that is shown inside a node, blanks folded, at most `most` characters; without that of `skipped` parts. */
function textIn(node: Node, most: number, skipped = ''): string {
  if (node.nodeType === 3) return folded(node.nodeValue ?? '', most)
  const { firstChild } = node
  if (!firstChild) return ''
  // Most things hold one text and nothing else.
  if (firstChild.nodeType === 3 && !firstChild.nextSibling && node instanceof Element)
    return isSilent(node) || !isDrawn(node) ? '' : folded(firstChild.nodeValue ?? '', most)
  const walker = Document.prototype.createTreeWalker.call(document, node, NodeFilter.SHOW_TEXT)
  let text = ''
  for (let left = 400; left > 0 && text.length < most && walker.nextNode(); left -= 1) {
    const { parentElement, nodeValue } = walker.currentNode
    if (!nodeValue?.trim() || !parentElement) continue
    if (isSilent(parentElement) || (skipped !== '' && isInPart(parentElement, node, skipped))) continue
    if (isDrawn(parentElement)) text += ` ${nodeValue}`
  }
  return folded(text, most)
}

function folded(text: string, most: number): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, most)
}

function isSilent({ localName }: Element): boolean {
  return /^(script|style|noscript|template)$/.test(localName)
}

function isInPart(element: Element, outer: Node, skipped: string): boolean {
  for (let node: Element | null = element; node && node !== outer; node = parentOf(node))
    if (node.matches(skipped)) return true
  return false
}

/** The accessible name, as far as people see it: https://www.w3.org/TR/accname-1.2/ in short. */
function labelOf(element: Element): string {
  const most = 100
  const told = labelledBy(element, most) || (element.getAttribute('aria-label') ?? '').trim()
  if (told) return told
  if (element === document.documentElement) return document.title
  return fieldLabel(element, most) || contentLabel(element, most) || hintLabel(element)
}

function labelledBy(element: Element, most: number): string {
  const ids = element.getAttribute('aria-labelledby')
  if (!ids) return ''
  const root = element.getRootNode() as Document | ShadowRoot
  return ids
    .split(/\s+/)
    .map((id) => (id ? root.getElementById(id) : null))
    .map((other) => (other ? textIn(other, most) : ''))
    .join(' ')
    .trim()
}

function fieldLabel(element: Element, most: number): string {
  const { labels } = element as HTMLInputElement
  if (!labels?.length && !/^(input|textarea|select)$/.test(element.localName)) return ''
  const told = [...(labels ?? [])]
    .map((label) => textIn(label, most))
    .join(' ')
    .trim()
  if (told) return told
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
    return (
      element.getAttribute('placeholder') ||
      element.title ||
      nearbyText(element) ||
      element.name ||
      element.id
    )
  return ''
}

/** What stands right before a field that no label names: most forms of the wild. */
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

/** Below a field that stands alone with its words. */
function textAfter(element: Element): string {
  const { nextSibling } = element
  const others = parentOf(element)?.querySelectorAll('input, select, textarea, button, [contenteditable]')
  for (let after = others?.length === 1 ? nextSibling : null; after; after = after.nextSibling) {
    const text = textIn(after, 60)
    if (text) return text
  }
  return ''
}

/** Another field, or what names one. */
function isOfField(element: Element): boolean {
  const fields = 'input, select, textarea, button, label, [contenteditable]'
  if (!element.matches(fields)) return element.querySelector(fields) !== null
  return !(element instanceof HTMLLabelElement) || element.control !== null
}

/** The words around an element up to where another one that looks the same lies: those of its row. */
function rowText(element: Element, crowd: ReadonlyMap<Element, number>): string {
  let row: Element | null = null
  for (let node = parentOf(element); node && node !== document.body; node = parentOf(node)) {
    if ((crowd.get(node) ?? 0) > 1) break
    row = node
  }
  const words = row ? textIn(row, 160, 'ul, ol, [role=group]') || textIn(row, 160) : ''
  const seen = row ? picturesIn(row, element) : ''
  const own = textIn(element, 100)
  const around = folded(`${own ? words.replace(own, ' ') : words} ${seen}`, 160)
  if (around) return around.slice(0, 60)
  const before = row?.previousElementSibling
  return before && !crowd.has(before) ? textIn(before, 60) : ''
}

/** What the pictures of a row show, but for those of the element itself. */
function picturesIn(row: Element, element: Element): string {
  const told: string[] = []
  for (const picture of row.getElementsByTagName('img')) {
    const alt = told.length < 6 ? picture.alt.trim() : ''
    if (alt && !element.contains(picture) && isDrawn(picture)) told.push(alt)
  }
  return told.join(' ')
}

/** How many of some elements lie in each, themselves counted. */
function crowdOf(elements: readonly Element[]): Map<Element, number> {
  const crowd = new Map<Element, number>()
  for (const element of elements)
    for (let node: Element | null = element; node; node = parentOf(node))
      crowd.set(node, (crowd.get(node) ?? 0) + 1)
  return crowd
}

function contentLabel(element: Element, most: number): string {
  if (element instanceof HTMLIFrameElement) return element.title || element.name
  if (element instanceof HTMLImageElement) return element.alt
  const editable = (element as HTMLElement).isContentEditable
  // A row is not called by the buttons in it, nor an entry by those below it.
  const others =
    'button, a[href], select, textarea, [role=button], [contenteditable], ul, ol, [role=group], [role=menu]'
  const role = element.getAttribute('role') ?? ''
  const isBox = /^(listbox|grid|tree|menu|menubar|radiogroup|tablist|toolbar|table|application)$/.test(role)
  const own = editable || isBox ? '' : textIn(element, most, others) || textIn(element, most)
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

const parts = [
  textIn,
  folded,
  isSilent,
  isInPart,
  labelOf,
  labelledBy,
  fieldLabel,
  nearbyText,
  textAfter,
  isOfField,
  rowText,
  picturesIn,
  crowdOf,
  contentLabel,
]

/** As text, for a page. */
export const namesSource = parts.map(String).join('\n')
