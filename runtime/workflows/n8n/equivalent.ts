import type { Fields, Translated, Translating } from './translating.ts'

/** A node that runs for each item. */
export const each = (type: string, params: Fields): Translated => ({ type, params, input_mode: 'item' })

/** A node that takes its input whole. */
export const list = (type: string, params: Fields): Translated => ({ type, params, input_mode: 'list' })

/** Thrown for a node that has no equivalent with these parameters. */
export class NotExact extends Error {
  override name = 'NotExact'
}

/** Reports options that have no equivalent. */
export function skipped(node: Translating, field: string, options: unknown, except: readonly string[] = []) {
  for (const [name, value] of Object.entries((options ?? {}) as Fields))
    if (!except.includes(name)) node.report(`${field}.${name}`, 'was skipped', value)
}
