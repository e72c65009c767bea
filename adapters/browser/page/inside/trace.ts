// Runs inside a page; see kinds.ts.

declare function kindOf(element: Element): string
declare function labelOf(element: Element): string
declare function hintLabel(element: Element): string
declare function textIn(node: Node, most: number): string
declare function rowText(element: Element, crowd: ReadonlyMap<Element, number>): string
declare function crowdOf(elements: readonly Element[]): Map<Element, number>
declare function parentOf(node: Node): Element | null
declare function isShown(element: Element): boolean
declare function isStandIn(element: Element): boolean
declare function everyElement(most: number): Element[]

/** An element as it can be told from all others of its document. */
export interface Traced {
  role: string
  name: string | null
  text: string | null
  label: string | null
  test_id: string | null
  css: string
  /** The words of its row, where others have the same role and name. */
  row: string | null
  /** Its place among those. */
  nth: number
  secret: boolean
}

/** Elements by the way in which they were found, as places in what is kept. */
export type FoundIn = Partial<Record<'role_name' | 'label' | 'test_id' | 'text' | 'loose' | 'css', number[]>>

/** What people call it; null where only its looks tell it from others. */
function nameOf(element: Element): string | null {
  const label = labelOf(element)
  return label === '' || label === hintLabel(element) ? null : label
}

/** The words beside a field, or those that only assistive technology reads. */
function labelBeside(element: Element): string | null {
  if (element.matches('input, textarea, select, [contenteditable]')) return nameOf(element)
  return element.getAttribute('aria-label')?.trim() || element.getAttribute('title')?.trim() || null
}

function testIdOf(element: Element): string | null {
  const names = ['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa']
  return names.map((name) => element.getAttribute(name)).find((value) => value) ?? null
}

/** Passwords, one-time codes and numbers of cards are not written down. */
function isSecretField(element: Element): boolean {
  if (!(element instanceof HTMLInputElement)) return false
  return element.type === 'password' || /password|one-time-code|cc-(?:number|csc)/.test(element.autocomplete)
}

/** What is used when a point of it is pressed: the button around the word, not the word. */
function usedAt(element: Element): Element {
  const made =
    'a[href], button, input, select, textarea, summary, label, option, [role], [onclick], [tabindex], [contenteditable]'
  for (let node: Element | null = element; node && node !== document.body; node = parentOf(node))
    if (node.matches(made) && !/^(none|presentation|generic)$/.test(node.getAttribute('role') ?? ''))
      return node
  return element
}

function pathTo(element: Element): string {
  const root = element.getRootNode() as Document | ShadowRoot
  const alone = (selector: string) => root.querySelectorAll(selector).length === 1
  const steps: string[] = []
  for (let node: Element | null = element; node && steps.length < 6; node = node.parentElement) {
    if (node === document.body || node === document.documentElement) break
    const tag = CSS.escape(node.localName)
    const id = node.id && !/\d{3,}|[0-9a-f]{8,}|:/.test(node.id) ? `#${CSS.escape(node.id)}` : ''
    const name = node.getAttribute('name')
    const own = id ? tag + id : name ? `${tag}[name=${JSON.stringify(name)}]` : ''
    if (own && alone([own, ...steps].join(' > '))) return [own, ...steps].join(' > ')
    const { localName } = node
    const same = [...(node.parentNode?.children ?? [])].filter((other) => other.localName === localName)
    steps.unshift(same.length > 1 ? `${tag}:nth-of-type(${same.indexOf(node) + 1})` : tag)
  }
  return steps.join(' > ') || CSS.escape(element.localName)
}

/** Those that a person could mean. */
function usable(): Element[] {
  return everyElement(30_000).filter((element) => isShown(element) || isStandIn(element))
}

function traceElement(element: Element): Traced {
  const role = kindOf(element)
  const name = nameOf(element)
  const same =
    name === null ? [] : usable().filter((other) => kindOf(other) === role && nameOf(other) === name)
  const field = element.matches('input, textarea, select, [contenteditable]')
  return {
    role,
    name,
    text: field ? null : textIn(element, 100) || null,
    label: labelBeside(element),
    test_id: testIdOf(element),
    css: pathTo(element),
    row: same.length > 1 ? rowText(element, crowdOf(same)) || null : null,
    nth: Math.max(0, same.indexOf(element)),
    secret: isSecretField(element),
  }
}

/** Words without what changes by itself: case, blanks, numbers, signs. */
function fold(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\d\s]+/g, ' ')
    .replace(/[^\p{L} ]/gu, '')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Of several the one in the same row, where that tells. */
function inRow(found: Element[], row: string | null): Element[] {
  if (found.length < 2 || row === null) return found
  const crowd = crowdOf(found)
  const rows = found.map((element) => ({ element, words: rowText(element, crowd) }))
  const exact = rows.filter(({ words }) => words === row)
  const loose =
    exact.length > 0 ? exact : rows.filter(({ words }) => fold(words) === fold(row) && fold(row) !== '')
  return loose.length > 0 ? loose.map(({ element }) => element) : found
}

function byText(all: readonly Element[], text: string, role: string): Element[] {
  const most = text.length * 2 + 40
  const found = all.filter(
    (element) => (element.textContent ?? '').trim().length <= most && textIn(element, 100) === text,
  )
  const alike = found.filter((element) => kindOf(element) === role)
  const inner = found.filter(
    (element) => !found.some((other) => other !== element && element.contains(other)),
  )
  return alike.length > 0 ? alike : inner
}

/** A place alone is not enough: what stands there now must not be called something else. */
function byPath(all: readonly Element[], { css, role, name }: Traced): Element[] {
  const anchored = /#|\[name=/.test(css)
  const alike = (element: Element) =>
    anchored || name === null || nameOf(element) === null || nameOf(element) === name
  try {
    return all.filter((element) => element.matches(css) && kindOf(element) === role && alike(element))
  } catch {
    return []
  }
}

/** Every way of finding it that finds something; the elements are kept under `key` for the driver's selector. */
function findTraced(key: string, wanted: Traced): FoundIn {
  const all = usable()
  const alike = all.filter((element) => kindOf(element) === wanted.role)
  const { name, label, text, test_id } = wanted
  const near = (loose: string) => alike.filter((element) => fold(nameOf(element) ?? '') === loose)
  const ways: Record<keyof FoundIn, Element[]> = {
    role_name: name === null ? [] : alike.filter((element) => nameOf(element) === name),
    label: label === null ? [] : all.filter((element) => labelBeside(element) === label),
    test_id: test_id === null ? [] : all.filter((element) => testIdOf(element) === test_id),
    text: text === null ? [] : byText(all, text, wanted.role),
    loose: fold(name ?? '') === '' ? [] : near(fold(name ?? '')),
    css: byPath(all, wanted),
  }
  const nodes: Element[] = []
  const keep = (element: Element) => nodes.push(element) - 1
  const found: FoundIn = {}
  for (const [way, elements] of Object.entries(ways) as [keyof FoundIn, Element[]][])
    if (elements.length > 0) found[way] = inRow(elements, wanted.row).slice(0, 50).map(keep)
  const world = globalThis as { __hearthd_views?: Map<string, { nodes: Element[]; frames: Element[] }> }
  world.__hearthd_views ??= new Map()
  world.__hearthd_views.set(key, { nodes, frames: [] })
  return found
}

const parts = [
  nameOf,
  labelBeside,
  testIdOf,
  isSecretField,
  usedAt,
  pathTo,
  usable,
  traceElement,
  fold,
  inRow,
  byText,
  byPath,
  findTraced,
]

/** As text, for a page; it calls what the snapshot is made with. */
export const traceSource = parts.map(String).join('\n')
