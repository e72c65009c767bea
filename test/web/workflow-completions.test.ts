import { describe, expect, test } from 'vitest'
import { completionsAt, inserted, languageOf, pathText, type Readable } from '../../web/pages/workflows/completions.ts'

const item = { id: 7, title: 'Tea', author: { name: 'Ada' }, 'content-type': 'text', tags: [{ label: 'hot' }] }
const readable: Readable = {
  input: item,
  vars: { rate: 2 },
  nodes: [
    { id: 'fetch', name: 'The fetch' },
    { id: 'web-hook', name: "Ada's hook" },
  ],
  outputOf: (id) => (id === 'fetch' ? { status: 200 } : undefined),
}

/** The labels at the `|` in a text, or the texts after choosing them. */
const at = (marked: string, isCode = false) => {
  const caret = marked.indexOf('|')
  return completionsAt(marked.replace('|', ''), caret, isCode, readable)
}
const labels = (marked: string, isCode = false) => at(marked, isCode).map(({ label }) => label)
const chosen = (marked: string, label: string, isCode = false) =>
  at(marked, isCode).find((option) => option.label === label)?.edited.text

test('the language of a text is seen from its beginning', () => {
  expect(languageOf('plain', false)).toBe(null)
  expect(languageOf('Dear {{ input.name }}', false)).toBe('JSONata')
  expect(languageOf('=input', false)).toBe('JSONata')
  expect(languageOf('input.n > 1', true)).toBe('JSONata')
  expect(languageOf('=js:{{ $json.n }}', true)).toBe('JavaScript')
})

describe('completions', () => {
  test('JSONata: what an expression begins with, members, lists, and the outputs of nodes', () => {
    expect(labels('{{ in|', false)).toEqual(['input', 'index'])
    expect(labels('{{ input.| }}')).toEqual(Object.keys(item))
    expect(labels('=input.author.n|')).toEqual(['name'])
    expect(labels('input.tags.|', true)).toEqual(['label'])
    expect(labels('input.tags[0].|', true)).toEqual(['label'])
    expect(labels('{{ nodes.| }}')).toEqual(['fetch', 'web-hook'])
    expect(labels('{{ nodes.fetch.output.| }}')).toEqual(['status'])
    expect(labels('{{ $su| }}')).toEqual(['$sum', '$substring'])
    expect(chosen('{{ nodes.| }}', 'web-hook')).toBe('{{ nodes.`web-hook` }}')
    expect(chosen('{{ input.co| }}', 'content-type')).toBe('{{ input.`content-type` }}')
    expect(at('{{ input.id|').map(({ label }) => label)).toEqual([])
    expect(at('{{ input.i|')[0]).toMatchObject({ label: 'id', detail: '7' })
  })

  test('JavaScript: $json, nodes by name, and extension methods of a value', () => {
    expect(labels('=js:{{ $j|')).toEqual(['$json', '$jmespath'])
    expect(labels('=js:{{ $json.author.| }}')).toEqual(['name'])
    expect(labels('=js:{{ $input.first().json.ti|')).toEqual(['title'])
    expect(labels("=js:{{ $('|")).toEqual(['The fetch', "Ada's hook"])
    expect(chosen("=js:{{ $('The|') }}", 'The fetch')).toBe("=js:{{ $('The fetch') }}")
    expect(labels("=js:{{ $('The fetch').item.json.|")).toEqual(['status'])
    expect(labels('=js:{{ $json.title.toTi|')).toEqual(['toTitleCase()'])
    expect(chosen('=js:{{ $json.co|', 'content-type')).toBe('=js:{{ $json["content-type"]')
  })

  test('there are none in plain text, in closed expressions and for what is not known', () => {
    expect(labels('input.|')).toEqual([])
    expect(labels('{{ input.id }} input.|')).toEqual([])
    expect(labels('{{ input.none.| }}')).toEqual([])
    expect(labels("=js:{{ $('None').item.json.|")).toEqual([])
  })
})

test('a field is inserted in the language of the text', () => {
  const place = { node: null, path: ['author', 'name'] }
  const other = { node: { id: 'web-hook', name: "Ada's hook" }, path: ['tags', 0, 'content-type'] }
  const into = (marked: string, to = place as typeof other | typeof place, field = { isCode: false, isAny: false }) => {
    const caret = marked.indexOf('|')
    return inserted(marked.replace('|', ''), [caret, caret], to, field).text
  }
  expect(into('Dear |!')).toBe('Dear {{ input.author.name }}!')
  expect(into('{{ $uppercase(|) }}')).toBe('{{ $uppercase(input.author.name) }}')
  expect(into('|', place, { isCode: true, isAny: false })).toBe('input.author.name')
  expect(into('|', place, { isCode: false, isAny: true })).toBe('=input.author.name')
  expect(into('=js:|')).toBe('=js:{{ $json.author.name }}')
  expect(into('=|', other)).toBe('=nodes.`web-hook`.output.tags[0].`content-type`')
  expect(into('=js:{{ | }}', other)).toBe(`=js:{{ $('Ada\\'s hook').item.json.tags[0]["content-type"] }}`)
  expect(pathText(['customer', 'tags', 0, 'label'])).toBe('customer.tags[0].label')
})
