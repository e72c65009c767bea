import { expect, test } from 'vitest'
import { DocumentError } from '../../runtime/documents/document.ts'
import type { Reader } from '../../runtime/ports/reader.ts'
import { pdf } from '../files/documents-kit.ts'

const said = (content: string) =>
  ({ content, reply: '', trust: 'owner', created_at: '2026-01-05T12:00:00.000Z' }) as const

const letter = { bytes: pdf([['Dear Anna']]), max_characters: 1_000 }

/** What every reader must do. `create` is called once per test. */
export function readerContract(create: () => Promise<Reader>): void {
  test('returns the names in each text, in order', async () => {
    const reader = await create()
    const names = await reader.names(['Anna Miller lives in Berlin', 'nothing at all', 'a talk at CERN'])

    expect(names).toHaveLength(3)
    expect(names[0]?.map(({ name }) => name)).toEqual(['Anna Miller', 'Berlin'])
    expect(names[1]).toEqual([])
    expect(names[2]).toEqual([{ name: 'CERN', type: 'organization' }])
  })

  test('returns the facts in each text', async () => {
    const reader = await create()
    const [works, nothing] = await reader.facts([said('I work at Acme since 2020.'), said('Is it raining?')])

    expect(works?.facts).toMatchObject([
      { subject: 'Owner', type: 'works_at', object: 'Acme', valid_at: '2020-01-01T00:00:00.000Z' },
    ])
    expect(nothing?.facts).toEqual([])
  })

  test('reads XML as the JSON of objects, and says what is wrong with it', async () => {
    const reader = await create()
    const read = (text: string) =>
      reader.document({ kind: 'xml', bytes: new TextEncoder().encode(text), max_characters: 1_000 })

    expect(JSON.parse((await read('<a x="1"><b>t</b></a>')).text)).toEqual({ a: { x: '1', b: 't' } })
    await expect(read('<a><b></a>')).rejects.toThrow(DocumentError)
  })

  test('serves concurrent callers, each with its own texts', async () => {
    const reader = await create()
    const towns = ['Berlin', 'Paris', 'Vienna']
    const found = await Promise.all(towns.map((town) => reader.names([`We met in ${town}.`])))

    expect(found.map(([names]) => names?.map(({ name }) => name))).toEqual(towns.map((town) => [town]))
  })

  test('returns nothing for no texts', async () => {
    const reader = await create()

    expect(await reader.names([])).toEqual([])
    expect(await reader.facts([])).toEqual([])
  })

  test('stops with the reason of the signal', async () => {
    const reader = await create()
    const stopped = AbortSignal.abort(new Error('enough'))

    await expect(reader.names(['tea'], stopped)).rejects.toThrow('enough')
    await expect(reader.document({ kind: 'pdf', ...letter }, stopped)).rejects.toThrow('enough')
  })

  test('returns the text of documents, and why there is none', async () => {
    const reader = await create()
    const [text, refused] = await Promise.allSettled([
      reader.document({ kind: 'pdf', ...letter }),
      reader.document({ kind: 'docx', ...letter }),
    ])

    expect(text).toMatchObject({ value: { text: '[Page 1]\nDear Anna', truncated: false } })
    expect(refused).toMatchObject({ reason: expect.any(DocumentError) })
  })
}
