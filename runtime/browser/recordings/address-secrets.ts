import { redact } from '../../secrets/redact.ts'
import { isSecretParameter } from '../credentials.ts'

/** The start of a parameter of an address, its name and its value. */
const parameters = /([?&#])([^?&#=]+)=([^&#]*)/g

/** A name such as a recording gives: letters, digits and lines, in braces. */
const variable = /^\{\{([\p{L}\d_]+)\}\}$/u

/** Names that nothing but a secret has. Others that may be one (`key`, `code`, `sid`) are judged by their values. */
const surely =
  /token|jwt|passw|passphrase|pwd|secret|api[_-]?key|(?:access|private|client|auth|signing)[_-]?key|signature|credential|assertion|saml|otp|authorization/i

/** Characters from which a value can be a key at all. */
const shortestKey = 8

/**
 * Whether somebody could be let in by this parameter: by its name, by the form of its value, or by a name that secrets
 * often have with a value that nobody would write by hand. `?key=C-major` is none.
 */
export function isSecretValue(name: string, value: string): boolean {
  if (value === '') return false
  if (redact(value) !== value) return true
  return isSecretParameter(name) && (surely.test(name) || looksRandom(value))
}

/** Letters and digits in turn, or both cases mixed within its words: no word, number or name. */
function looksRandom(value: string): boolean {
  if (value.length < shortestKey || /\s/.test(value)) return false
  const turns = value.match(/[a-z](?=\d)|\d(?=[a-z])/gi)?.length ?? 0
  const mixed = value.match(/[a-z](?=[A-Z])/g)?.length ?? 0
  return turns + mixed >= 3
}

/** An address whose secrets are variables: `?token=abc` becomes `?token={{token}}`. */
export const withoutSecrets = (
  address: string,
  nameFor: (name: string, value: string) => string = (name) => name,
): string =>
  address
    .replace(/^(https?:\/\/)[^/?#@]*@/i, '$1')
    .replace(parameters, (whole, before: string, name: string, value: string) => {
      const [plainName, plainValue] = [plain(name), plain(value)]
      if (variable.test(value) || !isSecretValue(plainName, plainValue)) return whole
      return `${before}${name}={{${nameFor(slug(plainName), plainValue)}}}`
    })

/** Names of the variables that stand for secrets of an address; each is called after its parameter. */
export const addressNames = (address: string): string[] =>
  [...address.matchAll(parameters)].flatMap(([, , name = '', value = '']) => {
    const found = variable.exec(value)?.[1]
    return found?.replace(/_\d+$/, '') === slug(plain(name)).replace(/_\d+$/, '') ? [found as string] : []
  })

export const hasSecrets = (address: string): boolean => addressNames(address).length > 0

const slug = (name: string) => name.toLowerCase().replace(/[^\p{L}\d]+/gu, '_') || 'secret'

function plain(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
