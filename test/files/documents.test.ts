import { strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import { documentText } from '../../runtime/documents/text.ts'
import type { DocumentKind } from '../../runtime/ports/reader.ts'
import { docx, encryptedPdf, openDocument, paragraph, pdf, pptx, xlsx } from './documents-kit.ts'

const read = (kind: DocumentKind, bytes: Uint8Array, max_characters = 100_000) =>
  documentText({ kind, bytes, max_characters, pause: async () => undefined })

const textOf = async (kind: DocumentKind, bytes: Uint8Array) => (await read(kind, bytes)).text

test('a PDF becomes its pages, lines and paragraphs', async () => {
  const bytes = pdf([['Dear Anna,', '', '', 'the rent is due', 'in May.'], ['Page two']])

  expect(await textOf('pdf', bytes)).toBe('[Page 1]\nDear Anna,\n\nthe rent is due\nin May.\n\n[Page 2]\nPage two')
})

test('a Word document becomes paragraphs, and tables rows with tabs', async () => {
  const cell = (text: string) => `<w:tc>${paragraph(text)}</w:tc>`
  const bytes = docx(
    `<w:p><w:pPr><w:tabs><w:tab w:pos="1"/></w:tabs></w:pPr><w:r><w:t>Name</w:t><w:tab/><w:t>Anna &lt;b&gt;</w:t></w:r></w:p>
    <w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:r><w:t>new</w:t><w:br/><w:t>line</w:t></w:r></w:p>
    <w:tbl><w:tr>${cell('Rent')}${cell('950')}</w:tr><w:tr>${cell('Heat')}${cell('')}</w:tr></w:tbl>
    <mc:AlternateContent><mc:Choice>${paragraph('once')}</mc:Choice><mc:Fallback>${paragraph('twice')}</mc:Fallback></mc:AlternateContent>`,
  )

  expect(await textOf('docx', bytes)).toBe('Name\tAnna <b>\nnew\nline\nRent\t950\nHeat\nonce')
})

test('a workbook becomes its sheets in order, with dates as dates', async () => {
  expect(await textOf('xlsx', xlsx())).toBe(
    '[Sheet Costs]\nItem\t\tDue\nRent & heating\t950.5\t2026-01-31\t2026-01-31 14:30\t3\tTRUE\n\n[Sheet Notes]\ncall the bank',
  )
})

test('a presentation becomes its slides in order', async () => {
  expect(await textOf('pptx', pptx())).toBe('[Slide 1]\nPlan for spring\nMay\tsow\n\n[Slide 2]\nThank you')
})

test('OpenDocument files become text in the same way', async () => {
  const text =
    '<office:text><text:h>Title</text:h><text:p>one<text:s text:c="2"/>two<text:tab/>three</text:p></office:text>'
  const cell = (value: string, times = 1) =>
    `<table:table-cell table:number-columns-repeated="${times}">${value && `<text:p>${value}</text:p>`}</table:table-cell>`
  const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`
  const sheet = `<table:table table:name="Costs">${row(cell('Rent'), cell('950', 2))}${row(cell('', 16_384))}</table:table>`
  const slide = '<draw:page draw:name="p1"><text:p>Hello</text:p></draw:page>'

  expect(await textOf('odt', openDocument('text', text))).toBe('Title\none  two\tthree')
  expect(await textOf('ods', openDocument('spreadsheet', sheet))).toBe('[Sheet Costs]\nRent\t950\t950')
  expect(await textOf('odp', openDocument('presentation', slide + slide))).toBe('[Slide 1]\nHello\n\n[Slide 2]\nHello')
})

test('a long document is cut at the limit', async () => {
  const bytes = docx(paragraph('word '.repeat(1_000)).repeat(100))

  expect(await read('docx', bytes, 1_000)).toMatchObject({ truncated: true })
  expect((await read('docx', bytes, 1_000)).text.length).toBeLessThanOrEqual(1_000)
})

describe('a document without text says why', () => {
  const manifest = '<manifest:encryption-data/>'
  const encrypted = zipSync({ 'content.xml': strToU8('?'), 'META-INF/manifest.xml': strToU8(manifest) })
  const many = Object.fromEntries(Array.from({ length: 10_001 }, (_, index) => [`${index}`, new Uint8Array()]))
  const bomb = zipSync({ 'word/document.xml': new Uint8Array(101 * 1024 * 1024) })
  const cases: [string, DocumentKind, Uint8Array, string][] = [
    ['an empty file', 'docx', new Uint8Array(), 'it is empty'],
    ['an empty document', 'docx', docx(''), 'it contains no text'],
    ['a scanned PDF', 'pdf', pdf([['']]), 'it contains no text'],
    ['a broken PDF', 'pdf', strToU8('%PDF-1.7\nnothing'), 'it is damaged'],
    ['an encrypted PDF', 'pdf', encryptedPdf(), 'it is encrypted'],
    ['an encrypted OpenDocument file', 'odt', encrypted, 'it is encrypted'],
    ['an old or encrypted Office file', 'old', strToU8('x'), 'it is encrypted, or in the old format'],
    ['a cut archive', 'xlsx', xlsx().subarray(0, 700), 'it is damaged'],
    ['bytes that are no archive', 'xlsx', strToU8('x'.repeat(1_000)), 'it is damaged'],
    ['an archive of something else', 'docx', zipSync({ 'a.txt': strToU8('a') }), 'its main part is missing'],
    ['a zip bomb', 'docx', bomb, 'larger than 100 MB when unpacked'],
    ['an archive of too many parts', 'docx', zipSync(many), 'more than 10000 parts'],
    ['deeply nested elements', 'docx', docx('<w:p>'.repeat(5_000)), 'nested too deeply'],
  ]
  test.each(cases)('%s', async (_, kind, bytes, why) => {
    await expect(read(kind, bytes)).rejects.toThrow(why)
  })
})
