import { activeElement } from './geometry.ts'
import { textIn } from './names.ts'

/** The role, or the name of the kind of control that its tag makes. */
export function kindOf(element: Element): string {
  const role = (element.getAttribute('role') ?? '').trim().toLowerCase().split(/\s+/)[0]
  if (role && !/^(none|presentation|generic)$/.test(role)) return role
  const tag = element.localName
  const named: Record<string, string> = {
    button: 'button',
    summary: 'button',
    textarea: 'textbox',
    option: 'option',
    iframe: 'frame',
    img: 'image',
    label: 'label',
    canvas: 'canvas',
    html: 'page',
    body: 'page',
    video: 'video',
    audio: 'audio',
  }
  if (named[tag]) return named[tag]
  if (tag === 'a' || tag === 'area') return element.hasAttribute('href') ? 'link' : 'clickable'
  if (element instanceof HTMLSelectElement) return element.multiple || element.size > 1 ? 'listbox' : 'combobox'
  if (element instanceof HTMLInputElement) return inputKind(element)
  if ((element as HTMLElement).isContentEditable) return 'textbox'
  if (element instanceof SVGElement && tag !== 'svg') return tag
  return 'clickable'
}

function inputKind({ type, list }: HTMLInputElement): string {
  if (type === 'range') return 'slider'
  if (type === 'number') return 'spinbutton'
  if (/^(button|submit|reset|image)$/.test(type)) return 'button'
  if (/^(checkbox|radio|file|color|date|time|month|week|password)$/.test(type)) return type
  if (type === 'datetime-local') return 'datetime'
  if (type === 'search') return 'searchbox'
  return list ? 'combobox' : 'textbox'
}

/** The states to list after the kind, the most important first. */
export function statesOf(element: Element): string[] {
  const states = [
    ...checkedStates(element),
    ...valueStates(element),
    ...ariaStates(element),
    ...classStates(element),
    ...drawnStates(element),
  ]
  if (element.matches(':disabled')) states.push('disabled')
  if (element.hasAttribute('readonly')) states.push('readonly')
  if (element.matches(':required')) states.push('required')
  if (isFocused(element)) states.push('focused')
  return states.length > 1 ? [...new Set(states)] : states
}

function isFocused(element: Element): boolean {
  const root = element.getRootNode()
  return element !== document.body && element === activeElement(root instanceof ShadowRoot ? root : document)
}

/** Colour and size of text in a drawing: equal words there differ in these. */
function drawnStates(element: Element): string[] {
  if (!(element instanceof SVGTextContentElement)) return []
  const { fill, fontSize } = getComputedStyle(element)
  return fill === 'none' ? [fontSize] : [fill.replace(/\s/g, ''), fontSize]
}

/** States that pages with their own widgets express as class names. */
function classStates(element: Element): string[] {
  if (/^(input|select|textarea|option)$/.test(element.localName)) return []
  const words = /(?:^|[\s_-])(selected|active|checked|current|expanded|collapsed|disabled)(?=\s|$)/gi
  const classes = element.getAttribute('class')
  const told = classes ? [...classes.matchAll(words)].map(([, word]) => (word ?? '').toLowerCase()) : []
  const box = element.firstElementChild && element.querySelector('input[type=checkbox], input[type=radio]')
  const checked = box instanceof HTMLInputElement && box.checked && !box.checkVisibility()
  return checked ? [...told, 'checked'] : told
}

function checkedStates(element: Element): string[] {
  const checked = element instanceof HTMLInputElement && /^(checkbox|radio)$/.test(element.type) && element.checked
  const mixed = element instanceof HTMLInputElement && element.indeterminate
  if (mixed) return ['mixed']
  if (checked) return ['checked']
  return element instanceof HTMLOptionElement && element.selected ? ['selected'] : []
}

function valueStates(element: Element): string[] {
  const quoted = (text: string) => JSON.stringify(text.replace(/\s+/g, ' ').trim().slice(0, 80))
  if (element instanceof HTMLSelectElement) {
    const chosen = [...element.selectedOptions].map((option) => quoted(option.label))
    const offered = [...element.options].slice(0, 25).map((option) => quoted(option.label))
    const more = element.options.length > 25 ? [`and ${element.options.length - 25} more`] : []
    return [`value ${chosen.join(' ') || '""'}`, `options ${[...offered, ...more].join(' ')}`]
  }
  if (element instanceof HTMLTextAreaElement)
    return element.value ? [`value ${quoted(element.value)}`, 'multiline'] : ['multiline']
  if (element instanceof HTMLInputElement) return inputValue(element, quoted)
  const now = element.getAttribute('aria-valuetext') ?? element.getAttribute('aria-valuenow')
  if (now !== null) return [`value ${quoted(now)}`]
  if (!(element as HTMLElement).isContentEditable) return []
  const text = textIn(element, 80)
  return text ? [`value ${quoted(text)}`] : []
}

function inputValue(input: HTMLInputElement, quoted: (text: string) => string): string[] {
  if (/^(checkbox|radio|button|submit|reset|image|hidden)$/.test(input.type)) return []
  if (input.type === 'password') return input.value ? ['filled in'] : []
  if (input.type === 'file') return [...(input.files ?? [])].map(({ name }) => `file ${quoted(name)}`)
  const bounds = /^(range|number)$/.test(input.type)
    ? [input.min && `min ${input.min}`, input.max && `max ${input.max}`].filter((bound) => bound !== '')
    : []
  return input.value || input.type === 'range' ? [`value ${quoted(input.value)}`, ...bounds] : bounds
}

function ariaStates(element: Element): string[] {
  if (element.localName !== 'summary' && !element.hasAttributes()) return []
  const told = (name: string, yes: string, no = '') => {
    const value = element.getAttribute(`aria-${name}`)
    if (value === 'true') return [yes]
    return value === 'false' && no ? [no] : []
  }
  const open = element.localName === 'summary' && (element.parentElement as HTMLDetailsElement | null)?.open
  return [
    ...(element.localName === 'summary' ? [open ? 'expanded' : 'collapsed'] : []),
    ...told('checked', 'checked'),
    ...told('expanded', 'expanded', 'collapsed'),
    ...told('selected', 'selected'),
    ...told('pressed', 'pressed'),
    ...told('disabled', 'disabled'),
    ...told('invalid', 'invalid'),
    ...told('multiline', 'multiline'),
    ...(element.getAttribute('aria-current') ? ['current'] : []),
    ...(element.getAttribute('draggable') === 'true' ? ['draggable'] : []),
  ]
}
