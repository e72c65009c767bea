import { expect, test } from 'vitest'
import { readable } from '../../../runtime/tools/readable.ts'

const base = 'https://example.com/docs/page'
const text = async (html: string): Promise<string> => (await readable(html, base)).text
const filler = 'The quick brown fox jumps over the lazy dog. '.repeat(6).trim()

test.each([
  ['paragraphs stand apart', '<p>one</p><p>two', 'one\n\ntwo'],
  ['white space falls together', '  a\n\t b <b> c</b>d ', 'a b cd'],
  ['breaks are lines', 'a<br>b<br/>c', 'a\nb\nc'],
  ['headings', '<h1>Top</h1>text<h3>Sub</h3>', '# Top\n\ntext\n\n### Sub'],
  ['lists', '<ul><li>one<li>two <b>bold</b></ul>after', '- one\n- two bold\n\nafter'],
  ['tables', '<table><tr><th>a<th>b<tr><td>1<td>2</table>', '| a | b\n| 1 | 2'],
  ['code', '<p>run<pre>if x:\n    y &lt; 1</pre>done', 'run\n\n```\nif x:\n    y < 1\n```\n\ndone'],
  ['entities', 'a &amp; b &#x1F389; &eacute;', 'a & b 🎉 é'],
  ['images have words', 'see <img src=x alt="a boat"> here', 'see [image: a boat] here'],
  ['a link', 'go <a href="../up?a=1">up <i>there</i></a>!', 'go [up there](https://example.com/up?a=1)!'],
  ['a link around blocks', '<li><a href="/x"><div>big</div> card</a>', '- [big card](https://example.com/x)'],
  ['a heading that links', '<h2><a href="/x">Title</a></h2>', '## [Title](https://example.com/x)'],
  ['no link without words', 'a<a href="/x"> </a>b', 'ab'],
  ['no link within the page', '<h2>Use<a href="#use">§</a></h2>', '## Use§'],
  ['no links in code', '<pre>let <a href=/x>y</a></pre>', '```\nlet y\n```'],
  ['no link to a script', '<a href="javascript:alert(1)">press</a>', 'press'],
  ['no scripts', 'a<script>b<p>c</script><style>d</style><noscript>e</noscript>f', 'af'],
  ['nothing hidden', 'a<p hidden>b</p><p style="Display : none">c<b>d</b></p><p aria-hidden=true>e</p>f', 'af'],
  ['no comments', 'a<!-- b -->c', 'ac'],
  ['no fields', '<form>Name <input value=x><select><option>a</select><button>Send</button></form>', 'Name'],
])('%s', async (_, html, expected) => {
  expect(await text(html)).toBe(expected)
})

test('returns the main content without the surrounding parts', async () => {
  const page = `<nav><a href=/>Home</a></nav><div role=banner>Ad</div><main><h1>Fox</h1><p>${filler}</p><aside>More</aside></main>
    <div>Cookie notice</div><footer>Imprint</footer>`

  expect(await text(page)).toBe(`# Fox\n\n${filler}`)
})

test('an unclosed head does not hide the body', async () => {
  const page = '<html><head><meta charset=utf-8><title>T</title><style>a{}</style><body><p>text'
  expect(await readable(page, base)).toEqual({ title: 'T', text: 'text' })
})

test('a main element that is a stub does not hide the page', async () => {
  expect(await text('<main>Loading</main><p>The text</p><footer>Imprint</footer>')).toBe('Loading\n\nThe text')
})

test('for a page with only menus the menus are returned', async () => {
  expect(await text('<nav><a href="/a">A</a></nav>')).toBe('[A](https://example.com/a)')
})

test('returns the title of the page', async () => {
  const page = '<head><title> The\n page </title></head><body><svg><title>Icon</title></svg>x'
  expect(await readable(page, base)).toEqual({ title: 'The page', text: 'x' })
})

test.each([
  ['deep nesting', '<div>'.repeat(300_000)],
  ['unclosed deep nesting and stray ends', '<b>'.repeat(300_000) + '</i>'.repeat(250_000)],
  ['many links', '<a href=/x>word</a> '.repeat(80_000)],
  ['one endless tag', `<a ${'x="1" '.repeat(300_000)}`],
  ['many open brackets', '<'.repeat(1_500_000)],
  ['nested links', '<a href=/x>'.repeat(150_000)],
])('%s costs time in proportion', async (_, html) => {
  expect((await readable(`<p>first</p>${html}`, base)).text).toMatch(/^first/)
})
