import { describe, expect, test } from 'vitest'
import { update } from '../../handlers/agents/agents.ts'
import * as custom from '../../handlers/settings/skills.ts'

const { listBuiltin: builtin, listAll: list, toggleBuiltin: toggle } = custom

import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { readSkill, type Skill } from '../../runtime/settings/skills/schema.ts'
import { call } from '../support/call.ts'
import { chat, names } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'

const skillFile = (name: string, front = '', body = 'Say it in verse.') =>
  `---\nname: ${name}\ndescription: Answers in verse. Use for birthdays.\n${front}---\n\n${body}\n`

const namesOf = ({ skills }: { skills: Skill[] }) => skills.map((skill) => skill.name)

test('at least ten skills are built in, each valid and enabled', async () => {
  const host = await testHost()
  const { skills, total } = await (await call(builtin, host)).json()
  expect(total).toBeGreaterThanOrEqual(10)
  expect(new Set(namesOf({ skills })).size).toBe(total)
  for (const skill of skills as Skill[]) {
    expect(skill).toMatchObject({ id: null, source: 'builtin', enabled: true })
    expect(skill.description, skill.name).toMatch(/\. Use /)
    expect(skill.body.split('\n').length, skill.name).toBeGreaterThan(10)
    const { id: _, source: __, enabled: ___, ...text } = skill
    expect(await readSkill(skill.content)).toEqual(text)
  }
})

test('a built-in skill is disabled and enabled, and toggled without a value', async () => {
  const host = await testHost()
  const params = { name: 'summarize' }
  expect(await (await call(toggle, host, { params })).json()).toMatchObject({ enabled: false })
  expect(await (await call(toggle, host, { params, body: { enabled: false } })).json()).toMatchObject({
    enabled: false,
  })
  const { skills } = await (await call(list, host)).json()
  expect(skills.find((skill: Skill) => skill.name === 'summarize')).toMatchObject({ enabled: false })
  expect(await (await call(toggle, host, { params })).json()).toMatchObject({ enabled: true })
  expect(host.events.filter((type) => type === 'skill.updated')).toHaveLength(3)
  expect((await call(toggle, host, { params: { name: 'no-such' } })).status).toBe(404)
  expect((await call(toggle, host, { params, body: { enable: true } })).status).toBe(422)
})

test('a custom skill is added, shown, changed, enabled, disabled and deleted', async () => {
  const host = await testHost()
  const front = 'license: MIT\nmetadata:\n  version: 1.0\nallowed-tools: web_fetch files\n'
  const created = await call(custom.create, host, { body: { content: skillFile('verse', front) } })
  expect(created.status).toBe(201)
  const skill = await created.json()
  expect(skill).toMatchObject({
    id: expect.stringMatching(/^skill_/),
    name: 'verse',
    source: 'custom',
    enabled: true,
    license: 'MIT',
    metadata: { version: '1' },
    allowed_tools: ['web_fetch', 'files'],
    body: 'Say it in verse.',
  })
  const params = { id: skill.id }
  expect(await (await call(custom.show, host, { params })).json()).toEqual(skill)
  const changed = await call(custom.update, host, { params, body: { content: skillFile('rhyme') } })
  expect(await changed.json()).toMatchObject({ id: skill.id, name: 'rhyme', license: null })
  expect(await (await call(custom.toggle, host, { params })).json()).toMatchObject({ enabled: false })
  expect(await (await call(custom.list, host)).json()).toMatchObject({ total: 1, limit: 50, offset: 0 })
  expect(namesOf(await (await call(list, host)).json())).toContain('rhyme')
  expect(await (await call(custom.remove, host, { params })).json()).toEqual({ deleted: true, id: skill.id })
  expect((await call(custom.show, host, { params })).status).toBe(404)
  expect(host.events).toEqual(['skill.created', 'skill.updated', 'skill.updated', 'skill.deleted'])
})

describe('the format', () => {
  test.each([
    ['no front matter', '# Just text', 'content'],
    ['an open front matter', '---\nname: x\n', 'content'],
    ['no instructions', skillFile('verse', '', '  '), 'content'],
    ['broken YAML', '---\nname: [x\n---\nbody', 'content'],
    ['an alias bomb', '---\na: &a [1]\nname: *a\ndescription: x\n---\nbody', 'content'],
    ['a list for front matter', '---\n- name\n---\nbody', 'content'],
    ['no description', '---\nname: x\n---\nbody', 'content.description'],
    ['a name with capitals', skillFile('Verse'), 'content.name'],
    ['a name with a double hyphen', skillFile('a--b'), 'content.name'],
    ['a name of 65 characters', skillFile('a'.repeat(65)), 'content.name'],
    [
      'a description of 1025 characters',
      `---\nname: x\ndescription: ${'a'.repeat(1025)}\n---\nb`,
      'content.description',
    ],
  ])('%s is refused and named', async (_, content, path) => {
    const response = await call(custom.create, await testHost(), { body: { content } })
    expect(response.status).toBe(422)
    expect((await response.json()).issues[0].path).toBe(path)
  })

  test('unknown members, Windows line ends and a byte order mark are accepted', async () => {
    const content = `\uFEFF${skillFile('verse', 'author: ada\n')}`.replaceAll('\n', '\r\n')
    const response = await call(custom.create, await testHost(), { body: { content } })
    expect(response.status).toBe(201)
  })
})

test('two skills never have the same name', async () => {
  const host = await testHost()
  const add = (name: string) => call(custom.create, host, { body: { content: skillFile(name) } })
  const answers = await Promise.all([add('verse'), add('verse'), add('verse')])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  const other = await (await add('other')).json()
  const rename = { params: { id: other.id }, body: { content: skillFile('verse') } }
  const refused = await call(custom.update, host, rename)
  expect(refused.status).toBe(409)
  expect((await refused.json()).message).toBe('There is already a skill with this name')
  expect((await add('summarize')).status).toBe(409)
})

test('each of two concurrent toggles of a skill has its effect', async () => {
  const host = await testHost()
  const { id } = await (await call(custom.create, host, { body: { content: skillFile('verse') } })).json()
  const pair = (run: () => Promise<Response>) => Promise.all([run(), run()])
  const answers = [
    ...(await pair(() => call(custom.toggle, host, { params: { id } }))),
    ...(await pair(() => call(toggle, host, { params: { name: 'summarize' } }))),
  ]
  const states = await Promise.all(answers.map(async (answer) => ((await answer.json()) as Skill).enabled))

  expect(states).toEqual([false, true, false, true])
})

test('an agent sees names and descriptions, and reads the instructions on demand', async () => {
  const models = scriptedModels(toolCall('skill', { name: 'verse' }), text('Roses are red'))
  const host = await testHost({ models })
  await call(custom.create, host, { body: { content: skillFile('verse') } })
  const events = await chat(host, { message: 'Congratulate Ada' })
  expect(names(events)).toContain('tool_result')
  const result = events.find(({ event }) => event === 'tool_result')
  expect(result?.data.output).toEqual({ name: 'verse', instructions: 'Say it in verse.' })
  const [first] = models.calls
  expect(first?.system).toContain('- verse: Answers in verse. Use for birthdays.')
  expect(first?.system).toContain('- summarize: ')
  expect(first?.system).not.toContain('Say it in verse.')
})

test('skills that are disabled or not listed are neither shown nor read', async () => {
  const models = scriptedModels(toolCall('skill', { name: 'summarize' }), text('Well'), text('No skills'))
  const host = await testHost({ models })
  const { id } = await requireDefaultAgent(host)
  const { id: verse } = await (
    await call(custom.create, host, { body: { content: skillFile('verse'), enabled: false } })
  ).json()
  await call(update, host, { params: { id }, body: { skills: ['fact-check', 'verse'] } })
  const events = await chat(host, { message: 'Shorten this' })
  const result = events.find(({ event }) => event === 'tool_result')
  expect(result?.data).toMatchObject({
    is_error: true,
    output: expect.stringContaining('there are: fact-check'),
  })
  expect(models.calls[0]?.system).not.toContain('- verse:')

  await call(update, host, { params: { id }, body: { skills: [verse] } })
  await chat(host, { message: 'And now' })
  expect(models.calls.at(-1)?.tools.map((tool) => tool.name)).not.toContain('skill')
})
