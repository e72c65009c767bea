import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachment } from '../../runtime/files/content.ts'
import { cleanName } from '../../runtime/files/name.ts'
import { refusePath } from '../../runtime/paths.ts'
import { hostilePaths } from '../contracts/files.ts'
import { character } from '../support/characters.ts'
import { testHost } from '../support/host.ts'
import { fileHead, part, png, stored, uploaded, uploadRaw } from './kit.ts'

test.each([
  ['report.pdf', 'report.pdf'],
  ['Grüße 火 🔥.txt', 'Grüße 火 🔥.txt'],
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\windows\\system.ini', 'system.ini'],
  ['C:\\Users\\Ada\\note.txt', 'note.txt'],
  ['/absolute/name', 'name'],
  ['.env', '.env'],
  ['..', 'file'],
  ['', 'file'],
  ['///', 'file'],
  [' spaces . ', 'spaces'],
  ['a\u0000b\r\nc\u007f.txt', 'abc.txt'],
  ['invoice\u202egpj.exe', 'invoicegpj.exe'],
  ['zero\u200bwidth\ufeff.txt', 'zerowidth.txt'],
  ['\u2066hidden\u2069.txt', 'hidden.txt'],
  ['con', '_con'],
  ['NUL.txt', '_NUL.txt'],
  ['com1', '_com1'],
  ['a<b>c:d"e|f?g*h.txt', 'a_b_c_d_e_f_g_h.txt'],
  ['%2e%2e%2fx', '_2e_2e_2fx'],
  ['．．／x', '___x'],
  ['\ud800half.txt', '\ufffdhalf.txt'],
  ['e\u0301.txt', 'é.txt'],
])('%j becomes %j', (given, clean) => {
  expect(cleanName(given)).toBe(clean)
})

test.each([
  ['x'.repeat(300), 255],
  [`${'x'.repeat(300)}.tar.gz`, 255],
  [`${'ü'.repeat(200)}.png`, 254],
  [`${'🔥'.repeat(100)}.png`, 252],
])('a long name is cut and keeps its extension', (given, length) => {
  const clean = cleanName(given)

  expect(new TextEncoder().encode(clean).length).toBe(length)
  expect(clean.endsWith(given.includes('.') ? given.slice(given.lastIndexOf('.')) : 'x')).toBe(true)
})

test('any name, including generated ones, becomes one that is valid on every system', () => {
  for (const path of hostilePaths) expect([path, refusePath(cleanName(path))]).toEqual([path, null])
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 300 }), (given) => refusePath(cleanName(given)) === null),
    {
      numRuns: 2_000,
    },
  )
})

test('the header for any name is ASCII and can be decoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 100 }), (given) => {
      const name = cleanName(given)
      const header = attachment(name)
      const encoded = header.match(/^attachment; filename="[^"\\%]*"; filename\*=UTF-8''([\w!#$&+.^`|~%-]*)$/)?.[1]
      return encoded !== undefined && decodeURIComponent(encoded) === name
    }),
  )
})

test('no name of an upload is used as a path', async () => {
  const host = await testHost()
  for (const name of hostilePaths.filter((path) => !/["\r\n\\]/.test(path) && path.isWellFormed())) {
    const response = await uploadRaw(host, `${part(fileHead(name), name)}--x--\r\n`)
    expect([name, response.status]).toEqual([name, 201])
  }
  for (const path of await stored(host)) expect(path).toMatch(/^blobs\/[0-9a-f]{2}\/[0-9a-f]{64}$/)
})

const html = '<!doctype html><script>alert(1)</script>'
const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'

test.each([
  ['a picture by its bytes', png, 'innocent.txt', 'image/png'],
  ['a text that calls itself a picture', 'not a picture', 'photo.png', 'text/plain'],
  ['Markdown', '# Title', 'a.MD', 'text/markdown'],
  ['a table', 'a,b', 'a.csv', 'text/csv'],
  ['JSON', '{"a":1}', 'a.json', 'application/json'],
  ['a PDF', '%PDF-1.7\n', 'a.pdf', 'application/pdf'],
  ['HTML', html, 'a.html', 'text/plain'],
  ['HTML that calls itself Markdown', html, 'a.md', 'text/markdown'],
  ['a drawing that runs', svg, 'a.svg', 'text/plain'],
  ['XML', `<?xml version="1.0"?>${svg}`, 'a.svg', 'text/plain'],
  ['a script', 'alert(1)', 'a.js', 'text/plain'],
  ['a text in UTF-16', Uint8Array.of(0xff, 0xfe, 60, 0, 33, 0), 'a.txt', 'application/octet-stream'],
  ['bytes that are no text', Uint8Array.of(1, 2, 3, 250), 'a.txt', 'application/octet-stream'],
  ['a text with a control character', 'bell\u0007', 'a.txt', 'application/octet-stream'],
  ['a text that breaks off in a character', Uint8Array.of(97, 0xc3), 'a.txt', 'application/octet-stream'],
  [
    'a text with a byte far behind that is none',
    new Uint8Array(200_000).fill(97).with(199_999, 0xff),
    'a.txt',
    'application/octet-stream',
  ],
])('%s is told by what it holds', async (_, content, name, type) => {
  expect(await uploaded(await testHost(), content, { name })).toMatchObject({ mime_type: type })
})
