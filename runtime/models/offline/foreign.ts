import { type Act, LANGUAGES, type Language } from './languages.ts'
import { slotsOf } from './match.ts'
import { isStopWord, words } from './text.ts'
import type { Slots } from './types.ts'

export interface Spoken {
  language: Language
  /** Absent when the language is known but not what was said. */
  act?: Act
  slots: Slots
}

/** Forms match sentences; in a longer text only the language is recognised, by its words. */
const MAX_SENTENCE = 1500
const KANA = /[\u3040-\u30ff]/
const HAN = /[\u4e00-\u9fff]/
const SUM = /\d *(?:[-+*/^%×:]|\p{L}{1,20}) *\d/u
const ENGLISH = new Set(
  'the and that what please remember like write show list time help make create file read add my me is of to'.split(
    ' ',
  ),
)

/** Reads a text in one of the languages other than English. Null when it is English or none of them. */
export function readForeign(text: string): Spoken | null {
  const clean = text
    .replace(/^[\s¡¿"«“]+|(?<![\s?!.。？！"»”])[\s?!.。？！"»”]+$/gu, '')
    .replace(/^(?:bitte|por favor|s'il te plaît|per favore),? /iu, '')
    .replace(/^(?:sag(?:e|st du)? mir|dis-moi|dimmi|dime|diz-me|me diga|zeg me|vertel me),? /iu, '')
  const said = words(clean.replaceAll('-', ' '))
  const english = said.filter((word) => isStopWord(word) || ENGLISH.has(word)).length
  /** Likeliest first: a Japanese sentence may have no kana. */
  const scripts = KANA.test(clean) ? ['ja'] : HAN.test(clean) ? ['zh', 'ja'] : undefined
  /** Most likely first; languages with fewer matching words than English are excluded. */
  const candidates = LANGUAGES.map((language) => ({
    language,
    count: said.filter((word) => language.words.has(word)).length,
  }))
    .filter(({ language: { code, words }, count }) =>
      scripts ? scripts.includes(code) : words.size > 0 && count >= english,
    )
    .sort(
      (left, right) =>
        right.count - left.count ||
        (scripts?.indexOf(left.language.code) ?? 0) - (scripts?.indexOf(right.language.code) ?? 0),
    )
  for (const { language } of text.length > MAX_SENTENCE ? [] : candidates)
    for (const { act, form } of language.forms) {
      const found = form.exec(clean)
      if (found) return { language, act, slots: slotsOf(found) }
    }
  const [likeliest] = candidates
  const isSum = SUM.test(clean)
  const begins = likeliest?.language.words.has(said[0] ?? '') ?? false
  const isPlain = (begins && (isSum || english === 0)) || (isSum && english === 0)
  const enough = likeliest && likeliest.count > (isPlain ? 0 : Math.max(1, english))
  return likeliest && (scripts || enough) ? { language: likeliest.language, slots: {} } : null
}
