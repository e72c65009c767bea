import { isSecretParameter } from '../credentials.ts'

/** The start of a parameter that is a secret by its name, and its value. */
const parameters = /([?&#])([^?&#=]+)=([^&#]*)/g

/** A name such as a recording gives: letters, digits and lines, in braces. */
const variable = /^\{\{([\p{L}\d_]+)\}\}$/u

/** An address whose secret parameters are variables: `?token=abc` becomes `?token={{token}}`. */
export const withoutSecrets = (address: string): string =>
  address
    .replace(/^(https?:\/\/)[^/?#@]*@/i, '$1')
    .replace(parameters, (whole, before: string, name: string, value: string) =>
      isSecretParameter(plain(name)) && value !== '' && !variable.test(value)
        ? `${before}${name}={{${slug(plain(name))}}}`
        : whole,
    )

/** Names of the variables that stand for secrets of an address. */
export const addressNames = (address: string): string[] =>
  [...address.matchAll(parameters)].flatMap(([, , name = '', value = '']) => {
    const found = variable.exec(value)?.[1]
    return found && isSecretParameter(plain(name)) ? [found] : []
  })

export const hasSecrets = (address: string): boolean => addressNames(address).length > 0

const slug = (name: string) => name.toLowerCase().replace(/[^\p{L}\d]+/gu, '_') || 'secret'

function plain(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
