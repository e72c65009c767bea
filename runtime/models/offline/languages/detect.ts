import { isStopWord, words } from '../text.ts'
import { LANGUAGES } from './index.ts'
import type { Act, Language } from './language.ts'

export interface Spoken {
  language: Language
  /** Absent when the language is known but not what was said. */
  act?: Act
  slots: Record<string, string>
}

/** Phrases are short; a longer text is only told apart by its words. */
const MAX_PHRASE = 1500
const KANA = /[\u3040-\u30ff]/
const HAN = /[\u4e00-\u9fff]/
const ENGLISH = new Set(
  'the and that what please remember like write show list time help make create file read add my me is of to'.split(
    ' ',
  ),
)
const WORDS = new Map(
  LANGUAGES.map((language) => [language, new Set(language.words.split(' ').filter(Boolean))]),
)

/** Reads a text in one of the languages but English. Null when it is English or none of them. */
export function readForeign(text: string): Spoken | null {
  const clean = text
    .replace(/^[\s¡¿"«“]+|[\s?!.。？！"»”]+$/gu, '')
    .replace(/^(?:bitte|por favor|s'il te plaît|per favore),? /iu, '')
  const script = KANA.test(clean) ? 'ja' : HAN.test(clean) ? 'zh' : undefined
  const candidates = script ? LANGUAGES.filter(({ code }) => code === script) : spokenIn(clean)
  for (const language of text.length > MAX_PHRASE ? [] : candidates) {
    const spoken = phraseOf(clean, language)
    if (spoken) return spoken
  }
  const [likeliest] = candidates
  const needed = /\d\s*[-+*/^%×:]\s*\d/.test(clean) ? 1 : 2
  const count = likeliest ? foreignWords(clean, likeliest) : 0
  const counted = likeliest && (script !== undefined || (count >= needed && count > englishWords(clean)))
  return counted ? { language: likeliest, slots: {} } : null
}

/** Latin languages by how many of their words occur; those with fewer than English are out, unless none has any. */
function spokenIn(text: string): Language[] {
  const english = englishWords(text)
  const counted = LANGUAGES.map((language) => ({ language, count: foreignWords(text, language) }))
  const likely = counted.filter(({ language, count }) => language.words !== '' && count >= english)
  return likely.sort((left, right) => right.count - left.count).map(({ language }) => language)
}

function englishWords(text: string): number {
  return words(text.replaceAll('-', ' ')).filter((word) => isStopWord(word) || ENGLISH.has(word)).length
}

function foreignWords(text: string, language: Language): number {
  const known = WORDS.get(language)
  return words(text.replaceAll('-', ' ')).filter((word) => known?.has(word)).length
}

function phraseOf(text: string, language: Language): Spoken | null {
  for (const [act, phrase] of language.phrases) {
    const found = phrase.exec(text)
    if (!found) continue
    const slots: Record<string, string> = {}
    for (const [name, value] of Object.entries(found.groups ?? {})) if (value) slots[name] = value.trim()
    return { language, act, slots }
  }
  return null
}
