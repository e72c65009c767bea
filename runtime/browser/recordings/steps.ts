import type { ActedEvent, ElementTrace } from '../../ports/browser.ts'
import { hideInUrl } from '../credentials.ts'
import type { Action } from '../schema.ts'
import { addressNames, hasSecrets, withoutSecrets } from './address-secrets.ts'
import { RecordedStep, Trace } from './schema.ts'

/** Milliseconds within which two clicks of a person are one double click. */
const doubleWithin = 700

/** Names of secrets by the fields that they are typed into; their values are known only while the recording runs. */
export class SecretNames {
  readonly #byField = new Map<string, string>()
  readonly #values = new Map<string, string>()

  /** The same secret typed into two fields is one variable. */
  nameFor(element: ElementTrace, value: string): string {
    const field = JSON.stringify([element.frames, element.css, element.name])
    const known = this.#byField.get(field) ?? this.#known(value)
    const name = known ?? this.#fresh(slug(element.label ?? element.name ?? '') || 'secret')
    this.#byField.set(field, name)
    this.#values.set(name, value)
    return name
  }

  /** For a parameter of an address. The same name with another value is another variable. */
  nameForParameter(base: string, value: string): string {
    const name = [...this.#values.keys()].find(
      (one) => one.replace(/_\d+$/, '') === base && this.#values.get(one) === value,
    )
    const given = name ?? this.#fresh(base)
    this.#values.set(given, value)
    return given
  }

  #known(value: string): string | undefined {
    return [...this.#values].find(([, other]) => other === value)?.[0]
  }

  #fresh(base: string): string {
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? base : `${base}_${number}`
      if (!this.#values.has(name)) return name
    }
  }
}

const slug = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 40)

/** An act as a recording keeps it. `index` and `ref` mean nothing later on: the trace stands for them. */
export function stepOf(event: ActedEvent, begun: number, secrets: SecretNames): RecordedStep {
  const { index: _, ref: __, ...action } = event.action
  const { element, drop = null } = event
  return RecordedStep.parse({
    action: withoutAddressSecrets(
      element?.secret ? withoutSecret(action, element, secrets) : action,
      secrets,
    ),
    element: element && Trace.parse(element),
    drop: drop && Trace.parse(drop),
    url: event.url === null ? null : hideInUrl(event.url),
    at_ms: Math.max(0, event.at - begun),
    duration_ms: event.duration_ms,
  })
}

/** An address as a recording keeps it. */
export const keptAddress = (address: string, secrets: SecretNames): string =>
  withoutSecrets(address, (name, value) => secrets.nameForParameter(name, value))

const withoutAddressSecrets = (action: Action, secrets: SecretNames): Action =>
  action.url === undefined ? action : { ...action, url: keptAddress(action.url, secrets) }

function withoutSecret(action: Action, element: ElementTrace, secrets: SecretNames): Action {
  const text = action.text ?? action.value
  if (action.action !== 'type_text' || text === undefined || text === '') return action
  const { value: _, ...rest } = action
  return { ...rest, text: `{{${secrets.nameFor(element, text)}}}` }
}

/** A person's acts come piecemeal. Null where `next` is an act of its own, else what both amount to. */
export function merged(last: RecordedStep | undefined, next: RecordedStep): RecordedStep | null {
  if (!last || last.action.tab_id !== next.action.tab_id) return null
  const [before, after] = [last.action, next.action]
  const since = { at_ms: last.at_ms, duration_ms: next.at_ms - last.at_ms + next.duration_ms }
  const same = sameElement(last, next)
  if (before.action === 'scroll' && after.action === 'scroll') {
    const delta_x = (before.delta_x ?? 0) + (after.delta_x ?? 0)
    const delta_y = (before.delta_y ?? 0) + (after.delta_y ?? 0)
    return { ...next, ...since, action: { ...before, delta_x, delta_y } }
  }
  if (!same) return null
  if (before.action === after.action && /^(?:type_text|select_option)$/.test(after.action))
    return { ...next, ...since }
  const twice = before.action === 'click' && after.action === 'double_click'
  return twice && next.at_ms - last.at_ms <= doubleWithin ? { ...next, ...since } : null
}

const sameElement = ({ element }: RecordedStep, other: RecordedStep): boolean =>
  element !== null &&
  other.element !== null &&
  element.css === other.element.css &&
  element.name === other.element.name &&
  element.frames.join() === other.element.frames.join()

const namesIn = (text: string): string[] =>
  [...text.matchAll(/\{\{([^{}]+)\}\}/g)].map(([, name = '']) => name.trim())

/** Names of the variables that a replay needs, in the order of their use. */
export function variablesOf(steps: readonly RecordedStep[], start_url: string | null = null): string[] {
  const names = steps.flatMap(({ action, element }) => [
    ...addressNames(action.url ?? ''),
    ...(element?.secret ? namesIn(action.text ?? '') : []),
  ])
  const start = start_url && opensStart(steps) ? addressNames(start_url) : []
  return [...new Set([...start, ...names])]
}

/** A replay begins on the page where the recording began, unless its first step opens one. */
export const opensStart = ([first]: readonly RecordedStep[]): boolean =>
  first !== undefined && first.action.action !== 'goto'

/** An address with its variables filled in. */
export const filledAddress = (address: string, variables: Readonly<Record<string, string>>): string =>
  filledIn({ action: 'goto', url: address }, variables).url ?? address

/** An act with `{{name}}` filled in; what is not among the variables stays as it is. */
export function filledIn(action: Action, variables: Readonly<Record<string, string>>): Action {
  const fill = (text: string, write = (value: string) => value) =>
    text.replace(/\{\{\s*([^{}]+?)\s*\}\}/g, (whole, name: string) =>
      Object.hasOwn(variables, name) ? write(variables[name] ?? whole) : whole,
    )
  const texts = (['text', 'value', 'url', 'prompt_text'] as const).flatMap((member) => {
    const text = action[member]
    const write = member === 'url' && hasSecrets(text ?? '') ? encodeURIComponent : undefined
    return text === undefined ? [] : [[member, fill(text, write)]]
  })
  const values = action.values ? { values: action.values.map((value) => fill(value)) } : {}
  return { ...action, ...Object.fromEntries(texts), ...values }
}
