import { expect, test } from 'vitest'
import { fold, isEnglish, matchRules } from '../../runtime/dispatcher/rules.ts'
import { Intent } from '../../runtime/dispatcher/schema.ts'
import { byWords, examples, likeness, vote } from '../../runtime/dispatcher/similar.ts'
import { heldOut } from '../bench/dispatcher.ts'

const english = heldOut().filter(({ language }) => language === 'en')

test('every intent has examples, and no sentence is known twice', () => {
  const all = [...examples, ...heldOut()]
  expect(examples.length).toBeGreaterThanOrEqual(150)
  expect(english.length).toBeGreaterThanOrEqual(35)
  expect(new Set(examples.map(({ intent }) => intent)).size).toBe(Intent.options.length)
  expect(new Set(all.map(({ text }) => fold(text))).size).toBe(all.length)
})

test('without the embedder and a model, at least 80 of 100 unknown sentences are decided rightly', () => {
  const right = english.filter(({ text, intent }) => (matchRules(text) ?? byWords(text)[0])?.intent === intent)
  expect(right.length / english.length).toBeGreaterThan(0.8)
})

test('English is told from other languages', () => {
  const wrong = heldOut().filter(({ text, language }) => isEnglish(text) !== (language === 'en'))
  expect(wrong).toEqual([])
  expect(examples.filter(({ text }) => !isEnglish(text))).toEqual([])
  for (const text of ['', '🙂', 'Waarom niet', 'Lav en hjemmeside til min butik', 'Maak een website'])
    expect([text, isEnglish(text)]).toEqual([text, false])
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
  'My app is slow today',
  'Write a text about phones on planes',
  'Make a list of password managers',
  'Add a password field to my login form',
  'Set the theme of the party to pirates',
])('nobody is asked what to do with "%s"', (text) => {
  expect(['task', 'question', 'chat', 'memory', 'browser', undefined]).toContain(matchRules(text)?.intent)
})

test('accents, case and width make no difference', () => {
  expect(fold('  ¿CUÁL  es el Straße’s ＡＢＣ? ')).toBe("¿cual es el strasse's abc?")
  expect(matchRules('REMIND me to go to the café')?.intent).toBe('schedule')
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
})

test('likeness is 1 for the same text and 0 for nothing in common', () => {
  expect(likeness('call ada', 'call ada')).toBeCloseTo(1)
  expect(likeness('call ada', 'xyz')).toBe(0)
  expect(likeness('', 'call ada')).toBe(0)
})
