import type { Context } from '../../context.ts'
import { isSign, signsIn, signWord, signWords } from './signs.ts'

/** Korean has spaces, but its words carry their particles with them. */
const scripts = 'Han|Hiragana|Katakana|Hangul|Thai|Lao|Khmer|Myanmar'
  .split('|')
  .map((script) => `\\p{Script=${script}}`)
  .join('')

/** A character of a script that puts no spaces between words, or none where a word ends. */
export const unspaced = new RegExp(`[${scripts}]`, 'u')
export const unspacedRun = new RegExp(`[${scripts}][${scripts}\\p{M}ー]*`, 'gu')

const code = (character: string): string => (character.codePointAt(0) ?? 0).toString(36)

/** Two characters as a word of plain letters and digits, which every tokenizer leaves whole. */
const pair = (first: string, second: string): string => `${code(first)}z${code(second)}`

/**
 * Every two neighbouring characters of the unspaced runs of a text, as words for the index of pairs; the last one of
 * a run stands alone, so that the first half of some pair is every character. Behind them its signs.
 */
export function pairsOf(text: string): string {
  const plain = text.normalize('NFC')
  const runs = plain.toLowerCase().match(unspacedRun) ?? []
  const pairs = runs.flatMap((run) => {
    const characters = [...run]
    return characters.map((character, index) => pair(character, characters[index + 1] ?? ''))
  })
  return [...pairs, ...signsIn(plain).flatMap(({ sign }) => signWords(sign))].join(' ')
}

/** An expression that finds the texts which hold most of these fragments: signs, and runs of one character or two. */
export const pairExpression = (fragments: readonly string[]): string =>
  fragments
    .map((fragment) => {
      if (isSign(fragment)) return `"${signWord(fragment)}"`
      const [first = '', second = ''] = [...fragment]
      return second === '' ? `"${code(first)}z"*` : `"${pair(first, second)}"`
    })
    .join(' OR ')

const perCommit = 200

/** Fills in the pairs of episodes that were stored by an earlier release. */
export async function pairPending(context: Context): Promise<void> {
  for (;;) {
    context.signal.throwIfAborted()
    const rows = await context.sql.read<{ id: string; content: string; reply: string; topics: string }>(
      'SELECT id, content, reply, topics FROM episodes WHERE pairs IS NULL LIMIT ?',
      [perCommit],
    )
    if (rows.length === 0) return
    await context.commit(
      rows.map(({ id, content, reply, topics }) => ({
        sql: 'UPDATE episodes SET pairs = ? WHERE id = ? AND content = ? AND pairs IS NULL',
        args: [pairsOf([content, reply, ...(JSON.parse(topics) as string[])].join('\n')), id, content],
      })),
    )
  }
}
