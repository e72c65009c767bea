import { french } from './french.ts'
import { german } from './german.ts'
import type { ScheduleLanguage } from './language.ts'
import { spanish } from './spanish.ts'

const languages: readonly ScheduleLanguage[] = [german, french, spanish]

/** The text in English. `locale` decides only where the words themselves do not. */
export function translated(text: string, locale?: string): string {
  const found = languages
    .map((language) => ({ language, count: text.match(language.marks)?.length ?? 0 }))
    .sort((a, b) => b.count - a.count)[0]
  if (!found || found.count === 0) return text
  const asked = languages.find(({ code, marks }) => locale?.startsWith(code) && text.match(marks))
  const { phrases } = asked ?? found.language
  return phrases().reduce((words, [from, to]) => words.replace(from, to), text)
}
