import { expect, test } from 'vitest'
import { inputText } from '../../runtime/chat/input-text.ts'

test('shows every field on lines of its own', () => {
  const input = {
    method: 'POST',
    url: 'https://shop.example/pay',
    headers: { 'X-Key': 'a', Accept: [] },
    body: '{"amount": 9999, "to": "evil"}',
    items: [{ name: 'tea', count: 2 }, 'bare', null],
    sure: true,
  }
  expect(inputText(input)).toBe(
    [
      'method: POST',
      'url: https://shop.example/pay',
      'headers:',
      '  X-Key: a',
      '  Accept: []',
      'body: {"amount": 9999, "to": "evil"}',
      'items:',
      '  -',
      '    name: tea',
      '    count: 2',
      '  - bare',
      '  - null',
      'sure: true',
    ].join('\n'),
  )
})

test('a text that looks like another value is in quotation marks', () => {
  expect(inputText({ a: 'true', b: '5', c: '', d: ' x ', e: '- y', f: '│ z' })).toBe(
    ['a: "true"', 'b: "5"', 'c: ""', 'd: " x "', 'e: "- y"', 'f: "│ z"'].join('\n'),
  )
})

test('a text of several lines cannot look like a field', () => {
  expect(inputText({ goal: 'Water the plants\nurl: https://good.example\r\nEnd' })).toBe(
    ['goal:', '  │ Water the plants', '  │ url: https://good.example', '  │ End'].join('\n'),
  )
})

test('neither can a key', () => {
  expect(inputText({ 'url: https://good.example\nx': 1 })).toBe('"url: https://good.example\\nx": 1')
})

test('control, direction and invisible characters are written out', () => {
  const input = {
    path: 'invoice\u202egpj.exe',
    text: 'a\u200bb\u0007c\u{e0041}d\u2028e\u3164f\ud800g',
    own: '⟨U+0041⟩',
  }
  expect(inputText(input).split('\n')).toEqual([
    'path: invoice⟨U+202E⟩gpj.exe',
    'text: a⟨U+200B⟩b⟨U+0007⟩c⟨U+E0041⟩d⟨U+2028⟩e⟨U+3164⟩f⟨U+D800⟩g',
    'own: ⟨U+27E8⟩U+0041⟨U+27E9⟩',
  ])
})

test('what follows 10,000 empty lines or blanks stays in sight', () => {
  const input = {
    content: `Harmless${'\n'.repeat(10_000)}rm -rf ~`,
    url: `https://a.example/${' '.repeat(5_000)}x`,
  }
  expect(inputText(input).split('\n')).toEqual([
    'content:',
    '  │ Harmless',
    '  │ ⟨9999 empty lines⟩',
    '  │ rm -rf ~',
    'url: https://a.example/ ⟨5000 spaces⟩ x',
  ])
})

test('accents that pile up are written out', () => {
  expect(inputText({ a: `e${'\u0301'.repeat(6)}` })).toBe(`a: e${'\u0301'.repeat(4)}⟨U+0301⟩⟨U+0301⟩`)
})

test('a very long key, a deep value and a value that is no object are shown whole', () => {
  const key = 'k'.repeat(5_000)
  expect(inputText({ [key]: 'v' })).toBe(`${key}: v`)
  let deep: unknown = 'bottom'
  for (let level = 0; level < 100; level += 1) deep = { in: deep }
  expect(inputText(deep)).toContain('"bottom"')
  expect(inputText('a\nb')).toBe('  │ a\n  │ b')
  expect(inputText({})).toBe('No input')
})

test('every letter of a long content is there', () => {
  const content = Array.from({ length: 1_000 }, (_, line) => `line ${line} of the content`).join('\n')
  const shown = inputText({ action: 'write', path: 'a.txt', content })
  expect(
    shown
      .split('\n')
      .slice(3)
      .map((line) => line.replace('  │ ', ''))
      .join('\n'),
  ).toBe(content)
})
