import { expect, test } from 'vitest'
import {
  plainText,
  simpleMarkdown,
  singleMarks,
  translateMarkdown,
  translateWithin,
} from '../../../runtime/channels/platforms/markdown.ts'
import { slackText } from '../../../runtime/channels/platforms/slack.ts'
import { telegramHtml } from '../../../runtime/channels/platforms/telegram.ts'

test.each([
  ['**bold** and __bold__', '*bold* and *bold*'],
  ['*italic* and _italic_', '_italic_ and _italic_'],
  ['***both***', '*_both_*'],
  ['**a *b* c**', '*a _b_ c*'],
  ['~~gone~~ ~kept~', '~gone~ ~kept~'],
  ['2 * 3 * 4 and a_b_c', '2 * 3 * 4 and a_b_c'],
  ['**open', '**open'],
  ['`**code**` ``a`b``', '`**code**` `a`b`'],
  ['\\*no\\* \\_no\\_', '*no* _no_'],
  ['## A **title**', '*A title*'],
  ['####### seven', '####### seven'],
  ['- a\n  - b\n* c\n10) d', '• a\n  • b\n• c\n10. d'],
  ['> a\n> **b**\nc', '> a\n> *b*\nc'],
  ['---', '———'],
  ['```js\na **b**\n```\nc', '```\na **b**\n```\nc'],
  ['~~~\na\n```\n~~~', '```\na\n```\n```'],
  ['```\nopen', '```\nopen\n```'],
  ['[a](https://x.test/(b)) end', 'a (https://x.test/(b)) end'],
  ['![a picture](https://x.test/a.png)', 'a picture (https://x.test/a.png)'],
  ['[a](javascript:alert(1))', 'a'],
  ['<https://x.test/a_b_c>', 'https://x.test/a_b_c'],
  ['see https://x.test/a_b_c, then', 'see https://x.test/a_b_c, then'],
  ['| a | b |\n|---|:-:|\n| 1 | **22** |\nend', '```\na  b\n1  22\n```\nend'],
  ['a | b', 'a | b'],
  ['<b>&amp;</b>', '<b>&amp;</b>'],
  ['a ``open and *b*', 'a ``open and _b_'],
  ['*open **b** and _c_', '*open *b* and _c_'],
  ['*a **b** c*', '_a *b* c_'],
  ['', ''],
])('%j', (markdown, expected) => {
  expect(translateMarkdown(markdown, singleMarks)).toBe(expected)
})

test('nothing that a model writes becomes a tag, a mention or a link of its own', () => {
  const evil = '<a href="x">y</a> <!channel> <@U1> & [x"><b>](https://x.test/"><i>) `<u>`\n```"><s>\n<s>\n```'
  expect(translateMarkdown(evil, telegramHtml).match(/<(?!\/?(a|code|pre)\b)/g)).toBeNull()
  expect(translateMarkdown(evil, telegramHtml)).toContain('&lt;a href="x"&gt;y')
  expect(translateMarkdown(evil, slackText).match(/<(?!https:)/g)).toBeNull()
})

test('plain text and simple Markdown', () => {
  const markdown = '# A\n**b** `c` [d](https://x.test)\n1. e'
  expect(translateMarkdown(markdown, plainText)).toBe('A\nb c d (https://x.test)\n1. e')
  expect(translateMarkdown(markdown, simpleMarkdown)).toBe('**A**\n**b** `c` [d](https://x.test)\n1. e')
})

test('a translation that is too long is left out', () => {
  const table = `| a | b |\n|---|---|\n| ${'x'.repeat(50)} | 1 |\n| y | 2 |\n| z | 3 |`
  expect(translateWithin(table, plainText, table.length)).toBe(table)
})

const hostile = ['*', '**', '_', '`', '[', '![](', '> ', '- ', '|', '~~', 'h', '(', '\\']
const unclosed = ['*a ', '**a ', '_a ', '~~a ', '*a _b ', 'a`', '[a](', '[a]((', '<https://a ', '```\n']

test.each([...hostile, ...unclosed])('50,000 characters of %j take no long time', (part) => {
  const markdown = `a${part.repeat(50_000 / part.length)}`
  expect(translateMarkdown(markdown, singleMarks).length).toBeGreaterThan(0)
})
