// Symbols: emoji, and names that start or end with punctuation (`C++`, `C#`, `.NET`), of which a word index
// keeps only the letters.
const modifiers = '[\\u{1F3FB}-\\u{1F3FF}\\u{FE0F}\\u{E0020}-\\u{E007F}]*'
const picture = `[\\p{Extended_Pictographic}\\p{So}]${modifiers}`
const emoji = `\\p{RI}{2}|[#*\\d]\\u{FE0F}?\\u{20E3}|${picture}(?:\\u{200D}${picture})*`
const punctuatedName =
  '(?<![\\p{L}\\p{N}])\\p{L}{1,20}(?:\\+{2,3}|[+#](?![\\p{L}\\p{N}+#]))|(?<![\\p{L}\\p{N}.])\\.\\p{L}{2,20}'
const symbolPattern = new RegExp(`${emoji}|${punctuatedName}`, 'giu')

/** Skin tones and the emoji variation selector, which do not change what an emoji means. */
const variation = /[\u{1F3FB}-\u{1F3FF}\u{FE0F}]/gu

/** In lower case, without skin tone and variation selector. */
export const plainSymbol = (symbol: string): string => symbol.replace(variation, '').toLowerCase()

export interface SymbolMatch {
  /** As of `plainSymbol`. */
  symbol: string
  index: number
  length: number
}

export const symbolsIn = (text: string): SymbolMatch[] => [...eachSymbol(text)]

export function* eachSymbol(text: string): Iterable<SymbolMatch> {
  for (const { 0: symbol, index } of text.matchAll(symbolPattern))
    yield { symbol: plainSymbol(symbol), index, length: symbol.length }
}

/** Whether a fragment of a query is a symbol. */
export const isSymbol = (fragment: string): boolean => symbolsIn(fragment)[0]?.length === fragment.length

/** A symbol, and the members of a combined one. */
export function symbolParts(symbol: string): string[] {
  const parts = symbol.split('\u200D')
  return parts.length > 1 ? [symbol, ...parts] : [symbol]
}
