/** How an element is recorded, and found again by a replay. */

import type { ElementTrace } from '../../../runtime/tabs/schema.ts'
import { ancestorsOf, isHiddenBehindLabel, isShown, parentOf, withCaches } from './geometry.ts'
import type { Identity } from './identity.ts'
import { everyElement, identify, rows } from './listing.ts'
import { crowdOf, hintLabel, labelOf, type Row, rowOf, rowText, textIn } from './names.ts'
import { idOf } from './registry.ts'
import { kindOf } from './states.ts'

type Traced = Required<Omit<ElementTrace, 'frames'>>

export type Locator = 'role_name' | 'label' | 'test_id' | 'text' | 'loose' | 'css'

export interface Matches {
  /** The elements that each locator finds in the right row. */
  candidates: Partial<Record<Locator, { id: number; identity: Identity }[]>>
  /** The rows of elements that match but lie in another row. */
  other_rows: string[]
}

/** The label that people see; null for a hint. */
function nameOf(element: Element): string | null {
  const label = labelOf(element)
  return label === '' || label === hintLabel(element) ? null : label
}

/** The label of a field, or a name that only assistive technology reads. */
function separateLabel(element: Element): string | null {
  if (element.matches('input, textarea, select, [contenteditable]')) return nameOf(element)
  return element.getAttribute('aria-label')?.trim() || element.getAttribute('title')?.trim() || null
}

function testIdOf(element: Element): string | null {
  const names = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa']
  return names.map((name) => element.getAttribute(name)).find((value) => value) ?? null
}

/** Passwords, one-time codes and card numbers are not recorded. */
function isSecretField(element: Element): boolean {
  if (!(element instanceof HTMLInputElement)) return false
  return element.type === 'password' || /password|one-time-code|cc-(?:number|csc)/.test(element.autocomplete)
}

/** The control that a click on an element uses: the button around a text, not the text. */
export function controlAround(element: Element): Element {
  const controls =
    'a[href], button, input, select, textarea, summary, label, option, [role], [onclick], [tabindex], [contenteditable]'
  for (let node: Element | null = element; node && node !== document.body; node = parentOf(node))
    if (node.matches(controls) && !/^(none|presentation|generic)$/.test(node.getAttribute('role') ?? '')) return node
  return element
}

/** A CSS path from the nearest stable id or name. */
function pathTo(element: Element): string {
  const root = element.getRootNode() as Document | ShadowRoot
  const isUnique = (selector: string) => root.querySelectorAll(selector).length === 1
  const steps: string[] = []
  for (let node: Element | null = element; node && steps.length < 6; node = node.parentElement) {
    if (node === document.body || node === document.documentElement) break
    const tag = CSS.escape(node.localName)
    const id = node.id && !/\d{3,}|[0-9a-f]{8,}|:/.test(node.id) ? `#${CSS.escape(node.id)}` : ''
    const name = node.getAttribute('name')
    const own = id ? tag + id : name ? `${tag}[name=${JSON.stringify(name)}]` : ''
    if (own && isUnique([own, ...steps].join(' > '))) return [own, ...steps].join(' > ')
    const { localName } = node
    const same = [...(node.parentNode?.children ?? [])].filter((other) => other.localName === localName)
    steps.unshift(same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(node) + 1})` : tag)
  }
  return steps.join(' > ') || CSS.escape(element.localName)
}

const usableElements = (): Element[] =>
  everyElement().filter((element) => isShown(element) || isHiddenBehindLabel(element))

/** Characters of the text of a row. */
const maxRow = 160

export const trace = (element: Element): Traced =>
  withCaches(() => {
    const role = kindOf(element)
    const name = nameOf(element)
    const same =
      name === null ? [] : usableElements().filter((other) => kindOf(other) === role && nameOf(other) === name)
    const isField = element.matches('input, textarea, select, [contenteditable]')
    return {
      role,
      name,
      text: isField ? null : textIn(element, 100) || null,
      label: separateLabel(element),
      test_id: testIdOf(element),
      css: pathTo(element),
      row: same.length > 1 ? rowText(rowOf(element, crowdOf(same)), maxRow) || null : null,
      nth: Math.max(0, same.indexOf(element)),
      secret: isSecretField(element),
    }
  })

/** A name without what changes without a change of meaning: case, white space, punctuation, and counts such as "(3)". */
const loosely = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\(\s*\d+\+?\s*\)/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()

/** Recordings of earlier versions have only the first 60 characters of a row. */
const isRow = (text: string, row: string): boolean =>
  text === row || (row.length === 60 && text.slice(0, 60).trim() === row.trim())

/** The rows that elements lie in. One element alone can lie in any of its ancestors. */
function rowsOf(elements: readonly Element[]): { element: Element; places: Row[] }[] {
  const crowd = crowdOf(elements)
  return elements.map((element) => {
    if (elements.length > 1) return { element, places: [rowOf(element, crowd)] }
    const containers = [...ancestorsOf(element)].slice(0, 10)
    const places = containers.map((container) => {
      const heading = container.previousElementSibling
      return { element, container, heading }
    })
    return { element, places }
  })
}

function byText(all: readonly Element[], text: string, role: string | null): Element[] {
  const maxLength = text.length * 2 + 40
  const matches = all.filter(
    (element) => (element.textContent ?? '').trim().length <= maxLength && textIn(element, 100) === text,
  )
  const sameRole = matches.filter((element) => kindOf(element) === role)
  const innermost = matches.filter((element) => !matches.some((other) => other !== element && element.contains(other)))
  return sameRole.length > 0 ? sameRole : innermost
}

/** A position alone is not enough: the element there now must not have another name, unless the path ends in its own id. */
function byPath(all: readonly Element[], { css, role, name }: Traced): Element[] {
  const hasOwnId = /(?:#|\[name=)[^>]*$/.test(css)
  const isSame = (element: Element) => hasOwnId || name === null || nameOf(element) === null || nameOf(element) === name
  try {
    return all.filter((element) => element.matches(css) && kindOf(element) === role && isSame(element))
  } catch {
    return []
  }
}

/** The elements that each locator of a trace finds. With a row, only elements in exactly that row. */
export const match = (trace: Traced): Matches =>
  withCaches(() => {
    const all = usableElements()
    const sameRole = all.filter((element) => kindOf(element) === trace.role)
    const { name, label, text, test_id, row } = trace
    const loose = loosely(name ?? '')
    const by: Record<Locator, Element[]> = {
      role_name: name === null ? [] : sameRole.filter((element) => nameOf(element) === name),
      label: label === null ? [] : all.filter((element) => separateLabel(element) === label),
      test_id: test_id === null ? [] : all.filter((element) => testIdOf(element) === test_id),
      text: text === null ? [] : byText(all, text, trace.role),
      loose: loose === '' ? [] : sameRole.filter((element) => loosely(nameOf(element) ?? '') === loose),
      css: byPath(all, trace),
    }
    const candidates: Matches['candidates'] = {}
    const others = new Set<string>()
    for (const [locator, elements] of Object.entries(by) as [Locator, Element[]][]) {
      const placed = row === null ? elements.map((element) => ({ element, places: [] })) : rowsOf(elements)
      const right = placed.filter(({ element, places }) => {
        const own = places.find((place) => row !== null && isRow(rowText(place, maxRow), row))
        if (own) rows.set(element, own)
        const [first] = places
        if (!own && first) others.add(rowText(first, maxRow))
        return row === null || own !== undefined
      })
      if (right.length > 0)
        candidates[locator] = right
          .slice(0, 50)
          .map(({ element }) => ({ id: idOf(element), identity: identify(element) }))
    }
    return { candidates, other_rows: [...others].filter((text) => text !== '').slice(0, 3) }
  })
