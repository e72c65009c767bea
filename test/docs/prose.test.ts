import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Phrases that a native engineer would rewrite, each with what to write. */
const phrases: [RegExp, string][] = [
  [/\banew\b/i, 'again'],
  [/\bwhat came of\b/i, 'the result of'],
  [/\bin (the|its) place of\b/i, 'instead of'],
  [/\bgoes on to its end\b/i, 'finishes'],
  [/\b(is|are|be) told (of|that)\b/i, 'is notified of'],
  [/\bput down\b/i, 'recorded'],
  [/\bnobody knows\b/i, 'unknown'],
  [/\bcannot be told\b/i, 'cannot be determined'],
  [/\bhas the page\b/i, 'is in control'],
  [/\bfor good\b(?! (and|or))/i, 'permanently'],
]

/** What the offline model reads and says to people is data in many languages. */
const data = /^runtime\/(models|settings\/skills)\//
const files = globSync(['{runtime,handlers,adapters,web}/**/*.{ts,tsx,md}', '*.md'], {
  exclude: (path) => /node_modules|dist/.test(path),
}).filter((file) => !data.test(file))

function proseOf(file: string, source: string): string[] {
  return source
    .split('\n')
    .flatMap((line, index) =>
      phrases
        .filter(([phrase]) => phrase.test(line))
        .map(([phrase, better]) => `${file}:${index + 1}: ${phrase.source} → ${better}`),
    )
}

test('no text contains a phrase on the list', () => {
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap((file) => proseOf(file, readFileSync(file, 'utf8')))).toEqual([])
})

test('a planted phrase is found', () => {
  expect(proseOf('runtime/x.ts', '// computed anew')).toEqual(['runtime/x.ts:1: \\banew\\b → again'])
})
