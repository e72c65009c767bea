/** Nothing in these is meant to be read. */
const unread = new Set(
  `script style noscript template svg math canvas iframe object embed audio video map title button select textarea input
  dialog`.split(/\s+/),
)

/** The frame around a page's own content. */
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

type Attributes = Record<string, string>

/** Not shown to a person, so not shown to a model either: hidden text is where instructions hide. */
export function isHidden(name: string, attributes: Attributes): boolean {
  if (unread.has(name) || 'hidden' in attributes || attributes['aria-hidden'] === 'true') return true
  return /display\s*:\s*none|visibility\s*:\s*hidden/i.test(attributes.style ?? '')
}

export const isFrame = (name: string, attributes: Attributes): boolean =>
  frame.has(name) || frameRoles.has(attributes.role ?? '')

export const isMain = (name: string, attributes: Attributes): boolean =>
  name === 'main' || name === 'article' || attributes.role === 'main'

/** The space that an element puts before and after itself. */
export function gapAround(name: string): '' | ' ' | '\n' | '\n\n' {
  if (ownLine.has(name)) return '\n'
  if (apart.has(name)) return '\n\n'
  return name === 'td' || name === 'th' ? ' ' : ''
}

/** What stands before the text of an element. */
export function markOf(name: string): string {
  const level = /^h([1-6])$/.exec(name)?.[1]
  if (level) return '#'.repeat(Number(level))
  if (name === 'li') return '-'
  return name === 'td' || name === 'th' ? '|' : ''
}
