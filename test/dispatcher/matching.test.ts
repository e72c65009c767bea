import { expect, test } from 'vitest'
import { examples } from '../../runtime/dispatcher/examples.ts'
import { cosine, vote, WordIndex } from '../../runtime/dispatcher/nearest.ts'
import { fold, matchRules } from '../../runtime/dispatcher/rules.ts'
import { Intent } from '../../runtime/dispatcher/schema.ts'
import { heldOut } from '../bench/dispatcher.ts'

const all = [...examples, ...heldOut()]

test('there are at least 300 labelled sentences in at least six languages, and no sentence twice', () => {
  expect(all.length).toBeGreaterThanOrEqual(300)
  expect(heldOut().length).toBeGreaterThanOrEqual(150)
  expect(new Set(all.map(({ language }) => language)).size).toBeGreaterThanOrEqual(6)
  expect(new Set(examples.map(({ intent }) => intent)).size).toBe(Intent.options.length)
  expect(new Set(all.map(({ text }) => fold(text))).size).toBe(all.length)
})

test('without the embedder and a model, at least 80 of 100 unknown sentences are decided rightly', async () => {
  const index = await WordIndex.of(examples.map(({ text }) => fold(text)))
  const nearest = (text: string) =>
    vote(
      index
        .similarities(fold(text))
        .map((similarity, at) => ({ intent: examples[at]?.intent ?? 'chat', similarity })),
    )[0]?.intent
  const right = heldOut().filter(({ text, intent }) => (matchRules(text)?.intent ?? nearest(text)) === intent)
  expect(right.length / heldOut().length).toBeGreaterThan(0.8)
})

test.each([
  ['Please remind me tomorrow to water the plants', 'schedule'],
  ['Could you summarise this page?', 'question'],
  ['Hello, translate this into Danish', 'task'],
  ['Waarom niet', undefined],
  ['', undefined],
])('%s', (text, intent) => {
  expect(matchRules(text)?.intent).toBe(intent)
})

test.each([
  'I need a book recommendation',
  'Start the app',
  'Lance l’application',
  'My app is slow today',
  'Write a text about phones on planes',
  'Make a list of password managers',
  'Schick das Passwort an Ada',
])('nobody is asked what to do with "%s"', (text) => {
  expect(['task', 'question', 'chat', 'memory', 'browser', undefined]).toContain(matchRules(text)?.intent)
})

test('accents, case and width make no difference', () => {
  expect(fold('  ¿CUÁL  es el Straße’s ＡＢＣ? ')).toBe("¿cual es el strasse's abc?")
  expect(matchRules('recuerdame manana llamar')?.intent).toBe('schedule')
})

test('votes are shares of the nearest examples, and far examples give little confidence', () => {
  const near = vote([
    { intent: 'task', similarity: 0.9 },
    { intent: 'chat', similarity: 0.1 },
  ])
  expect(near[0]).toMatchObject({ intent: 'task' })
  expect(near[0]?.confidence).toBeGreaterThan(0.9)
  expect(vote([{ intent: 'task', similarity: 0.01 }])[0]?.confidence).toBeLessThan(0.1)
  expect(vote([])).toEqual([])
  expect(vote([{ intent: 'task', similarity: 0 }])).toEqual([])
  expect(cosine(new Float32Array([1, 0]), new Float32Array([2, 0]))).toBeCloseTo(1)
  expect(cosine(new Float32Array(2), new Float32Array([1, 0]))).toBe(0)
})
