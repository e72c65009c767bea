import type { ActedEvent } from '../../ports/browser.ts'
import { redact } from '../../secrets/redact.ts'
import { hideInUrl, isSecretParameter } from '../../secrets/traffic.ts'
import { type Action, ElementTrace } from '../../tabs/schema.ts'
import { RecordedStep } from './schema.ts'

/** Milliseconds within which two clicks are a double click. */
const doubleWithin = 700

/** Variable names for secrets, by field. The values are only in memory, while the recording runs. */
export class SecretNames {
  readonly #byField = new Map<string, string>()
  readonly #values = new Map<string, string>()

  /** A secret typed into two fields is one variable. */
  nameFor(element: ElementTrace, value: string): string {
    const field = JSON.stringify([element.frames, element.css, element.name])
    const variable = this.#byField.get(field) ?? this.#known(value)
    const name = variable ?? this.#fresh(slug(element.label ?? element.name ?? '') || 'secret')
    this.#byField.set(field, name)
    this.#values.set(name, value)
    return name
  }

  /** For a parameter of an address. A different value gets a different variable. */
  nameForParameter(base: string, value: string): string {
    const name = [...this.#values.keys()].find(
      (one) => one.replace(/_\d+$/, '') === base && this.#values.get(one) === value,
    )
    const variable = name ?? this.#fresh(base)
    this.#values.set(variable, value)
    return variable
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

/** The step for an act. The trace replaces `index` and `ref`, which have no meaning later. */
export function stepOf(event: ActedEvent, begun: number, secrets: SecretNames): RecordedStep {
  const { index: _, ref: __, ...action } = event.action
  const { element, drop = null } = event
  return RecordedStep.parse({
    action: withoutAddressSecrets(element?.secret ? withoutSecret(action, element, secrets) : action, secrets),
    element: element && ElementTrace.parse(element),
    drop: drop && ElementTrace.parse(drop),
    url: event.url === null ? null : hideInUrl(event.url),
    at_ms: Math.max(0, event.at - begun),
    duration_ms: event.duration_ms,
  })
}

/** An address with variables for its secrets. */
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

/**
 * Merges a person's act with the previous one, such as typing letter by letter. Null if it is a separate act.
 */
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
  if (before.action === after.action && /^(?:type_text|select_option)$/.test(after.action)) return { ...next, ...since }
  const twice = before.action === 'click' && after.action === 'double_click'
  return twice && next.at_ms - last.at_ms <= doubleWithin ? { ...next, ...since } : null
}

const sameElement = ({ element }: RecordedStep, other: RecordedStep): boolean =>
  element !== null &&
  other.element !== null &&
  element.css === other.element.css &&
  element.name === other.element.name &&
  element.frames.join() === other.element.frames.join()

const namesIn = (text: string): string[] => [...text.matchAll(/\{\{([^{}]+)\}\}/g)].map(([, name = '']) => name.trim())

/** The variables that a replay needs, in order of use. */
export function variablesOf(steps: readonly RecordedStep[], start_url: string | null = null): string[] {
  const names = steps.flatMap(({ action, element }) => [
    ...addressNames(action.url ?? ''),
    ...(element?.secret ? namesIn(action.text ?? '') : []),
  ])
  const start = start_url && opensStart(steps) ? addressNames(start_url) : []
  return [...new Set([...start, ...names])]
}

/** Whether a replay first opens the page where the recording started: unless its first step opens one. */
export const opensStart = ([first]: readonly RecordedStep[]): boolean =>
  first !== undefined && first.action.action !== 'goto'

/** An address with its variables filled in. */
export const filledAddress = (address: string, variables: Readonly<Record<string, string>>): string =>
  filledIn({ action: 'goto', url: address }, variables).url ?? address

/** An act with `{{name}}` replaced by the variables; unknown names are kept. */
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

/** Parameters of an address: separator, name, value. */
const parameters = /([?&#])([^?&#=]+)=([^&#]*)/g

/** A variable of a recording: letters, digits and underscores in braces. */
const variable = /^\{\{([\p{L}\d_]+)\}\}$/u

/** Names that only secrets have. Ambiguous ones (`key`, `code`, `sid`) are decided by their values. */
const surely =
  /token|jwt|passw|passphrase|pwd|secret|api[_-]?key|(?:access|private|client|auth|signing)[_-]?key|signature|credential|assertion|saml|otp|authorization/i

/** Minimum characters of a key. */
const shortestKey = 8

/**
 * Whether a parameter is a credential: by its name, by the format of its value, or by an ambiguous name with
 * a random value. `?key=C-major` is not.
 */
export function isSecretValue(name: string, value: string): boolean {
  if (value === '') return false
  if (redact(value) !== value) return true
  return isSecretParameter(name) && (surely.test(name) || looksRandom(value))
}

/** Alternating letters and digits, or mixed case within words. */
function looksRandom(value: string): boolean {
  if (value.length < shortestKey || /\s/.test(value)) return false
  const turns = value.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0
  const mixed = value.match(/[a-z](?=[A-Z])/g)?.length ?? 0
  return turns + mixed >= 3
}

/** Replaces the secrets in an address with variables: `?token=abc` becomes `?token={{token}}`. */
export const withoutSecrets = (
  address: string,
  nameFor: (name: string, value: string) => string = (name) => name,
): string =>
  address
    .replace(/^(https?:\/\/)[^/?#@]*@/i, '$1')
    .replace(parameters, (whole, before: string, name: string, value: string) => {
      const [plainName, plainValue] = [plain(name), plain(value)]
      if (variable.test(value) || !isSecretValue(plainName, plainValue)) return whole
      return `${before}${name}={{${nameFor(parameterSlug(plainName), plainValue)}}}`
    })

/** The variables in an address, each named after its parameter. */
export const addressNames = (address: string): string[] =>
  [...address.matchAll(parameters)].flatMap(([, , name = '', value = '']) => {
    const variableName = variable.exec(value)?.[1]
    return variableName?.replace(/_\d+$/, '') === parameterSlug(plain(name)).replace(/_\d+$/, '')
      ? [variableName as string]
      : []
  })

export const hasSecrets = (address: string): boolean => addressNames(address).length > 0

const parameterSlug = (name: string) => name.toLowerCase().replace(/[^\p{L}\d]+/gu, '_') || 'secret'

function plain(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
