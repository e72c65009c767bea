import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDisk } from '../../adapters/disk/files.ts'
import { createRepositories } from '../../adapters/git/repositories.ts'
import * as changes from '../../handlers/projects/changes.ts'
import * as plan from '../../handlers/projects/plan.ts'
import * as projects from '../../handlers/projects/projects.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { securitySettings } from '../../runtime/auth/security.ts'
import type { ModelCall } from '../../runtime/ports/models.ts'
import type { Repositories } from '../../runtime/ports/repositories.ts'
import { changeSection } from '../../runtime/sections/section.ts'
import { seeded } from '../faults/random.ts'
import { call } from '../support/call.ts'
import { type Step, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { approved, askedIn, plannedProject, planStep, projectHost, shown, taskNamed, wants } from './kit.ts'

/** More of them with the variable SEEDS. */
const seeds = Number(process.env.SEEDS ?? 4)

let base: string
let work: string
beforeEach(() => {
  base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'hearthd-repository-')))
  work = join(base, 'work')
  fs.mkdirSync(work)
  fs.mkdirSync(join(base, 'data'))
})
afterEach(() => fs.rmSync(base, { recursive: true }))

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd: work,
    encoding: 'utf8',
  })
const read = (path: string) => fs.readFileSync(join(work, path), 'utf8')
const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`)

function begin(isRepository: boolean): void {
  fs.writeFileSync(join(work, 'shared.md'), `${lines.join('\n')}\n`)
  fs.writeFileSync(join(work, 'own.md'), 'committed\n')
  if (!isRepository) return
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'Begin')
  // What the person has not committed, and what they have staged.
  fs.writeFileSync(join(work, 'own.md'), 'not committed\n')
  fs.writeFileSync(join(work, 'staged.md'), 'staged\n')
  git('add', 'staged.md')
}

type Script = (modelCall: ModelCall, asked: string) => Step | undefined

async function repositoryHost(step: Step, script: Script, own?: (git: Repositories) => Repositories) {
  const files = createDisk(join(base, 'data', 'files'), { private_folder: join(base, 'data') })
  const real = createRepositories(join(base, 'data', 'files'))
  const { host, models } = await projectHost(
    step,
    (one, asked) => (wants(one, 'submit_verdict') ? toolCall('submit_verdict', { met: true }) : script(one, asked)),
    { files, repositories: own?.(real) ?? real },
  )
  await changeSection(localContext(host), securitySettings, { allowed_paths: [base] })
  return { host, models }
}

const resultsIn = ({ messages }: ModelCall) => messages.filter(({ role }) => role === 'tool').length

const edit = (path: string, find: string, replace: string, id = 'call_1') =>
  toolCall('files', { action: 'edit', path, find, replace }, id)

const six = Object.fromEntries(
  Array.from({ length: 6 }, (_, index) => [`t${index}`, { title: `Task ${index}`, files: [`${index}.md`] }]),
)

/** Each task edits lines of its own in a file that all share, and writes one of its own, with pauses by chance. */
const sixAgents =
  (random: () => number): Script =>
  (one) => {
    const title = one.messages
      .flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')))
      .find((said) => /^Task \d$/.test(said))
    const number = Number(title?.slice(-1))
    const done = resultsIn(one)
    const steps = [
      () => toolCall('files', { action: 'read', path: 'shared.md' }, 'call_0'),
      () => edit('shared.md', `line ${number * 10}\n`, `line ${number * 10} by ${number}\n`, 'call_1'),
      () => toolCall('files', { action: 'append', path: `${number}.md`, content: `by ${number}` }, 'call_2'),
      () => edit('shared.md', `line ${number * 10 + 5}\n`, `line ${number * 10 + 5} by ${number}\n`, 'call_3'),
    ]
    const step = steps[done]?.() ?? text(`I edited shared.md and wrote ${number}.md.`)
    const turns = Math.floor(random() * 6)
    return async function* () {
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve))
      yield* step as Iterable<never>
    }
  }

const expected = lines
  .map((line, index) => (index % 5 === 0 ? `${line} by ${Math.floor(index / 10)}` : line))
  .join('\n')

test.each([
  ['a repository', true],
  ['a plain folder', false],
])(`six tasks at once in %s lose nothing of each other's, ${seeds} times`, async (_, isRepository) => {
  for (let seed = 1; seed <= seeds; seed += 1) {
    fs.rmSync(work, { recursive: true })
    fs.mkdirSync(work)
    begin(isRepository)
    const before = isRepository ? [git('rev-parse', 'HEAD'), git('diff', '--cached')] : []
    const { host } = await repositoryHost(planStep(six), sixAgents(seeded(seed)))
    const planned = await plannedProject(host, { path: work, strategy: 'performance' })
    const project = await approved(host, planned.id)
    expect([seed, project.status, project.error]).toEqual([seed, 'completed', null])
    expect(read('shared.md')).toBe(`${expected}\n`)
    for (let task = 0; task < 6; task += 1) expect(read(`${task}.md`)).toBe(`by ${task}\n`)
    if (!isRepository) continue
    expect(read('own.md')).toBe('not committed\n')
    expect([git('rev-parse', 'HEAD'), git('diff', '--cached')]).toEqual(before)
    expect(git('branch', '-a').trim()).toBe('* main')
  }
})

/** Two tasks that change the same line; the second to end is told about the conflict. */
const two = planStep({ a: { title: 'Upper' }, b: { title: 'Lower' } })

const conflicting =
  (solve: (one: ModelCall) => Step): Script =>
  (one) => {
    if (askedIn(one).includes('others have changed the same lines')) return solve(one)
    if (resultsIn(one) > 0) return text('I edited shared.md.')
    return askedIn(one) === 'Upper'
      ? edit('shared.md', 'line 7\n', 'LINE 7\n')
      : edit('shared.md', 'line 7\n', 'line seven\n')
  }

test('a conflict goes back to the agent with both sides, and is no attempt', async () => {
  begin(true)
  const told: string[] = []
  const { host } = await repositoryHost(
    two,
    conflicting((one) => {
      if (resultsIn(one) > 1) return text('I have joined both sides in shared.md.')
      const [hunk = ''] = /<<<<<<< others\n[\s\S]*>>>>>>> yours\n?/.exec(askedIn(one)) ?? []
      told.push(hunk)
      return edit('shared.md', `${hunk.trimEnd()}\n`, 'LINE seven\n', 'call_9')
    }),
  )
  const planned = await plannedProject(host, { path: work, strategy: 'performance' })
  const project = await approved(host, planned.id)
  expect(project.status).toBe('completed')
  expect(project.tasks.map(({ attempts }) => attempts)).toEqual([1, 1])
  expect(told).toHaveLength(1)
  for (const side of ['LINE 7', 'line seven', '=======']) expect(told[0]).toContain(side)
  expect(read('shared.md')).toBe(`${lines.with(7, 'LINE seven').join('\n')}\n`)
  expect(read('own.md')).toBe('not committed\n')
})

test('a file that git ignores is not overwritten: the agent gets both sides', async () => {
  begin(true)
  fs.writeFileSync(join(work, '.gitignore'), 'local.md\n')
  fs.writeFileSync(join(work, 'local.md'), 'of the person\n')
  const { host } = await repositoryHost(planStep({ a: { title: 'Upper' } }), (one) => {
    const [hunk] = /<<<<<<< others\n[\s\S]*>>>>>>> yours/.exec(askedIn(one)) ?? []
    if (resultsIn(one) > (hunk ? 1 : 0)) return text('I wrote local.md.')
    return hunk
      ? edit('local.md', hunk, 'of both', 'call_2')
      : toolCall('files', { action: 'write', path: 'local.md', content: 'of the task\n' })
  })
  const { id } = await plannedProject(host, { path: work, strategy: 'performance' })
  expect((await approved(host, id)).tasks).toMatchObject([{ status: 'completed', attempts: 1 }])
  expect(read('local.md')).toBe('of both\n')
})

test('a task whose files cannot be put into the folder fails with the reason', async () => {
  begin(true)
  fs.writeFileSync(join(work, '.gitignore'), 'elsewhere\n')
  fs.symlinkSync(base, join(work, 'elsewhere'))
  const { host } = await repositoryHost(planStep({ a: { title: 'Upper' } }), (one) =>
    resultsIn(one) > 0
      ? text('I wrote elsewhere/a.md.')
      : toolCall('files', { action: 'write', path: 'elsewhere/a.md', content: 'x' }),
  )
  const { id } = await plannedProject(host, { path: work, strategy: 'performance' })
  const [task] = (await approved(host, id)).tasks
  expect([task?.status, task?.error]).toEqual(['failed', expect.stringContaining('symbolic link')])
  expect(fs.existsSync(join(base, 'a.md'))).toBe(false)
})

test('a folder that is no repository any more is worked in directly', async () => {
  begin(true)
  const { host } = await repositoryHost(planStep({ a: { title: 'Upper' } }), (one) => {
    if (resultsIn(one) > 0) return text('I edited shared.md.')
    fs.rmSync(join(work, '.git'), { recursive: true, force: true })
    return edit('shared.md', 'line 7\n', 'LINE 7\n')
  })
  const { id } = await plannedProject(host, { path: work, strategy: 'performance' })
  const [failed] = (await approved(host, id)).tasks
  expect([failed?.status, failed?.error]).toEqual(['failed', expect.stringContaining('no repository any more')])
  await call(plan.retry, host, { params: { id, task_id: failed?.id ?? '' } })
  await workOff(host)
  expect((await shown(host, id)).status).toBe('completed')
  expect(read('shared.md')).toContain('LINE 7')
})

test('an agent that leaves the marks of a conflict completes nothing, and the folder has none', async () => {
  begin(true)
  const { host } = await repositoryHost(
    two,
    conflicting(() => text('I have joined both sides.')),
  )
  const project = await approved(host, (await plannedProject(host, { path: work, strategy: 'performance' })).id)
  expect(project.status).toBe('failed')
  expect(project.tasks.map(({ status }) => status).toSorted()).toEqual(['completed', 'failed'])
  expect(project.tasks.find(({ error }) => error)?.error).toContain('Both sides of a conflict')
  expect(read('shared.md')).not.toContain('<<<<<<<')
})

test('what the person changes meanwhile is kept, and a task can be undone without it', async () => {
  begin(true)
  const { host } = await repositoryHost(two, (one) => {
    if (resultsIn(one) > 0) return text('I edited shared.md.')
    fs.writeFileSync(join(work, 'shared.md'), `${lines.with(50, 'by the person').join('\n')}\n`)
    return askedIn(one) === 'Upper'
      ? edit('shared.md', 'line 7\n', 'LINE 7\n')
      : edit('shared.md', 'line 20\n', 'line twenty\n')
  })
  const { id } = await plannedProject(host, { path: work, strategy: 'performance' })
  const project = await approved(host, id)
  const now = lines.with(7, 'LINE 7').with(20, 'line twenty').with(50, 'by the person')
  expect([project.status, read('shared.md')]).toEqual(['completed', `${now.join('\n')}\n`])

  const params = { id, task_id: taskNamed(project, 'Upper').id }
  const listed = await (await call(changes.changes, host, { params })).json()
  expect(listed).toMatchObject({ count: 1, changes: [{ path: 'shared.md', note: null }] })
  expect((await call(changes.undo, host, { params })).status).toBe(200)
  expect(read('shared.md')).toBe(`${now.with(7, 'line 7').join('\n')}\n`)

  expect(fs.readdirSync(join(base, 'data/files/worktrees'))).toEqual([])
  await call(projects.remove, host, { params: { id } })
  expect(fs.existsSync(join(base, 'data/files/repositories', id))).toBe(false)
  expect(read('own.md')).toBe('not committed\n')
})

test("an agent cannot change a repository's own data", async () => {
  begin(true)
  const { host } = await repositoryHost(planStep({ a: { title: 'Break in' } }), (one) =>
    resultsIn(one) > 0
      ? text('It was refused.')
      : toolCall('files', { action: 'append', path: '.git/config', content: '[core]\nfsmonitor = evil' }),
  )
  const project = await approved(host, (await plannedProject(host, { path: work })).id)
  expect(taskNamed(project, 'Break in').error).toContain('the data of a repository is not changed here')
  expect(fs.existsSync(join(work, '.git/config'))).toBe(true)
  expect(fs.readFileSync(join(work, '.git/config'), 'utf8')).not.toContain('evil')
})
