import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { prompt } from '../../runtime/prompts/prompt.ts'

const runtime = join(import.meta.dirname, '../../runtime')

test.each([
  ['prompts', 'prompts/prompts.json'],
  ['settings/skills/builtin', 'settings/skills/builtin.json'],
])(
  'the data that every host reads is that of the Markdown files in %s; `vitest -u` writes it',
  async (folder, data) => {
    const files = readdirSync(join(runtime, folder)).filter((name) => name.endsWith('.md') && name !== 'README.md')
    const texts = files
      .sort()
      .map((name) => [basename(name, '.md'), readFileSync(join(runtime, folder, name), 'utf8').trim()])
    const json = JSON.stringify(Object.fromEntries(texts), null, 2)
    await expect(`${json}\n`).toMatchFileSnapshot(join(runtime, data))
  },
)

test('a line whose placeholders are empty is left out, and a section without lines', () => {
  const values = {
    instructions: '',
    agent: 'Ada',
    questions: '',
    untrusted: 'Data.',
    person: '',
    language: '',
    place: '',
    tools: '',
  }
  const text = prompt('agent', values)
  expect(text).toMatch(/^You are Ada, an agent of hearthd/)
  expect(text).not.toContain('Environment')
  expect(text).not.toContain('\n\n\n')
  expect(text.split('\n')).not.toContain('- ')
})

test('a value is taken as it is', () => {
  expect(prompt('note', { text: '$& {{memories}}\n\n\n# end', memories: '' })).toBe(
    '[note from the system] $& {{memories}}\n\n\n# end',
  )
})

test('a missing value is an error', () => {
  expect(() => prompt('note', { text: '' })).toThrow('memories')
})
