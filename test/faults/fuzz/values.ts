import fc, { type Arbitrary } from 'fast-check'
import type { JsonSchema } from '../../../runtime/http/openapi/json-schema.ts'
import { character } from '../../support/characters.ts'

/** Text that has broken programs before. */
export const hostileText = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202e\u2066',
  'e\u0301\u0301\u0301',
  '👩‍👩‍👧‍👦',
  '\r\nX-Injected: 1',
  "' OR 1=1; --",
  '"; DROP TABLE agents; --',
  '%',
  '_',
  '\\',
  '"*" NEAR(a b) OR ^x -y',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../../etc/passwd',
  '..\\..\\x',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e999',
  '9007199254740993',
  '0x10',
  'true',
  '2026-02-30',
  '2026-13-01T25:61:61Z',
  '+275760-09-13T00:00:00.001Z',
  '0000-00-00T00:00:00Z',
  '* * * * *',
  'a'.repeat(300),
  'ü'.repeat(5000),
  '('.repeat(500),
]

/** JSON values of the wrong kind, at the edges, or deep. */
const hostileValues: unknown[] = [
  null,
  true,
  false,
  0,
  -0,
  -1,
  0.1,
  1e308,
  -1e308,
  5e-324,
  2 ** 53,
  -(2 ** 63),
  [],
  {},
  [[]],
  [null],
  { length: 5 },
  { toString: 1 },
  { $ne: null },
  nested(70),
  Array.from({ length: 300 }, (_, index) => index),
]

function nested(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const hostile: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...hostileValues),
  fc.constantFrom(...hostileText),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Stands for the id of something that exists; the driver puts one in its place. */
export const someId = (index: number) => `{{id ${index}}}`
const idText = fc.nat(400).map(someId)

const words = fc.constantFrom(
  'tea',
  'Remember that I like tea',
  'What is 12 * 13?',
  'Write "tea" to the file note.txt',
  'a b c',
  'note.txt',
  'grüße 🔥',
)

/** `calm` values fit, so that requests get to what comes behind the checks; `wild` ones mostly do. */
export type Mood = 'calm' | 'wild'

const texts: Record<Mood, Arbitrary<string>> = {
  calm: fc.oneof(words, idText),
  wild: fc.oneof(
    { weight: 3, arbitrary: words },
    { weight: 3, arbitrary: idText },
    { weight: 2, arbitrary: fc.constantFrom(...hostileText) },
    { weight: 1, arbitrary: fc.string({ unit: character, maxLength: 40 }) },
  ),
}

const times = fc.constantFrom('2026-01-05T12:00:00Z', '2026-01-05', '1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59Z')

const deepest = 6

interface Place {
  mood: Mood
  depth: number
}

/** Values for a shape, in a mood. */
export function valueFor(shape: JsonSchema | undefined, mood: Mood, depth = 0): Arbitrary<unknown> {
  if (!shape || depth > deepest) return mood === 'calm' ? fc.constantFrom('x', 1, null) : hostile
  const fits = fitting(shape, { mood, depth })
  if (mood === 'calm') return fits
  return fc.oneof({ weight: 12, arbitrary: fits }, { weight: 1, arbitrary: hostile })
}

function fitting(shape: JsonSchema, place: Place): Arbitrary<unknown> {
  const choices = shape.anyOf ?? shape.oneOf
  if (choices) return fc.oneof(...choices.map((choice) => fitting(choice, place)))
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (Array.isArray(shape.enum)) return fc.constantFrom(...(shape.enum as unknown[]))
  const types = [shape.type ?? 'any'].flat()
  return fc.oneof(...types.map((type) => ofType(type, shape, place)))
}

function ofType(type: string, shape: JsonSchema, { mood, depth }: Place): Arbitrary<unknown> {
  if (type === 'object') return members(shape, { mood, depth })
  if (type === 'array') return fc.array(valueFor(shape.items, mood, depth + 1), { maxLength: 3 })
  if (type === 'string') return textFor(shape, mood)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  if (type === 'integer' || type === 'number') return numberFor(type, shape, mood)
  return valueFor(undefined, mood)
}

function textFor({ format, minLength = 0, maxLength = 0 }: JsonSchema, mood: Mood): Arbitrary<string> {
  const least = Number(minLength)
  const most = Number(maxLength)
  const long = texts[mood].map((text) => (mood === 'calm' ? text.padEnd(least, 'x') : text))
  if (format === 'uri') return fc.oneof(fc.constantFrom('http://127.0.0.1:9/x', 'https://example.com/'), long)
  if (typeof format === 'string' && /date|time/.test(format)) return fc.oneof(times, long)
  if (mood === 'calm' || most < 1 || most > 2_000) return long
  const edges = fc.constantFrom('x'.repeat(most), 'x'.repeat(most + 1))
  return fc.oneof({ weight: 12, arbitrary: long }, { weight: 1, arbitrary: edges })
}

function numberFor(type: 'integer' | 'number', shape: JsonSchema, mood: Mood): Arbitrary<number> {
  const min = Number(shape.minimum ?? -10)
  const max = Math.max(min, Number(shape.maximum ?? min + 1000))
  const within =
    type === 'integer'
      ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
      : fc.double({ min, max, noNaN: true })
  if (mood === 'calm') return within
  const edges = fc.constantFrom(min, max, min - 1, max + 1, Number.MAX_SAFE_INTEGER, 0.5)
  return fc.oneof({ weight: 4, arbitrary: within }, { weight: 1, arbitrary: edges })
}

function members(shape: JsonSchema, { mood, depth }: Place): Arbitrary<unknown> {
  const known = Object.entries(shape.properties ?? {}).map(
    ([name, member]) => [name, valueFor(member, mood, depth + 1)] as const,
  )
  const named = fc.record(Object.fromEntries(known), { requiredKeys: shape.required ?? [] })
  const { additionalProperties: more } = shape
  if (typeof more !== 'object') return named
  const free = fc.dictionary(texts[mood], valueFor(more as JsonSchema, mood, depth + 1), { maxKeys: 3 })
  return fc.tuple(named, free).map(([own, added]) => ({ ...added, ...own }))
}
