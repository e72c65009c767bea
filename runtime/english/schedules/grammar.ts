import { patternsOf } from '../patterns.ts'
import grammar from './grammar.json' with { type: 'json' }

/** Patterns of schedules in English. Their texts are in lower case. */
export const phrase = patternsOf({ ...grammar.patterns, unit: Object.keys(grammar.units).join('|') })

/** Replaces each pattern of a table by its text, in order. */
export const rewritten = (text: string, table: Record<string, string>): string =>
  Object.entries(table).reduce((words, [from, to]) => words.replace(new RegExp(from, 'gu'), to), text)
