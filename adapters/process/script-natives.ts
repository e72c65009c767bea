import { createSign, getHashes } from 'node:crypto'

/** Signs a text with a private key in PEM. Returns Base64. */
function sign(algorithm: string, key: string, text: string): string {
  if (!getHashes().includes(algorithm)) throw new Error(`There is no algorithm ${algorithm}`)
  return createSign(algorithm).update(text).sign(key, 'base64')
}

/** Functions of the host that code in the engine may use, besides those that every host has. */
export const scriptNatives = { sign }
