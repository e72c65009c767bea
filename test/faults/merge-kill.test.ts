import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { findProgram } from '../../adapters/process/programs.ts'
import type { Project, ProjectDetails } from '../../runtime/projects/schema.ts'
import { type ScriptedStep, text, toolCall } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { wiredService } from '../support/wired-service.ts'
import { seeded } from './random.ts'

/** Projects that are killed twice while their tasks are merged; more of them with the variable KILLS, others with SEED. */
const runs = Number(process.env.KILLS ?? 3)
const seed = Number(process.env.SEED ?? 20261124)

const base = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'hearthd-merges-')))
afterAll(() => fs.rmSync(base, { recursive: true }))

/** A git that takes its time, so that kills come in the middle of merges. */
const program = findProgram(['git'])
fs.mkdirSync(join(base, 'bin'))
fs.writeFileSync(join(base, 'bin/git'), `#!/bin/sh\nsleep 0.02\nexec ${program} "$@"\n`, { mode: 0o755 })

const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`)
const tasks = Array.from({ length: 6 }, (_, index) => ({ ref: `t${index}`, title: `Task ${index}` }))

/** Edits a line of the shared file and writes one of its own; what is repeated changes nothing. */
const model: ScriptedStep = ({ body }) => {
  const { messages, tools = [] } = body as { messages: { role: string }[]; tools?: unknown[] }
  const offered = JSON.stringify(tools)
  if (offered.includes('submit_plan'))
    return toolCall('submit_plan', { summary: 'Six tasks', phases: [{ name: 'All', tasks }] })
  if (offered.includes('submit_verdict')) return toolCall('submit_verdict', { met: true })
  const number = Number(/Task (\d) \(yours/.exec(JSON.stringify(messages))?.[1])
  const asked = messages.findLastIndex(({ role }) => role === 'user')
  const done = messages.slice(asked).filter(({ role }) => role === 'tool').length
  const line = `line ${number * 10}`
  if (done === 0)
    return toolCall('files', {
      action: 'edit',
      path: 'shared.md',
      find: `${line}\n`,
      replace: `${line} by ${number}\n`,
    })
  if (done === 1)
    return toolCall('files', {
      action: 'write',
      path: `${number}.md`,
      content: `by ${number}`,
      overwrite: true,
    })
  return text(`I edited shared.md and wrote ${number}.md.`)
}

const { service } = await wiredService({ otherwise: model }, { PATH: `${join(base, 'bin')}:${process.env.PATH}` })

const shown = (id: string) => service.read<ProjectDetails>('GET', `/api/projects/${id}`)

/** A person lets what may have happened already happen again. */
async function repeatInterrupted({ id, tasks }: ProjectDetails): Promise<void> {
  for (const task of tasks)
    if (task.status === 'blocked' && task.block?.kind === 'repeat')
      await service.read('POST', `/api/projects/${id}/tasks/${task.id}/answer`, { answer: 'Try again' })
}

function repository(name: string) {
  const folder = join(base, name)
  fs.mkdirSync(folder)
  const git = (...args: string[]) =>
    execFileSync(program ?? 'git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  fs.writeFileSync(join(folder, 'shared.md'), `${lines.join('\n')}\n`)
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-qm', 'Begin')
  fs.writeFileSync(join(folder, 'own.md'), 'not committed\n')
  return { folder, git, read: (path: string) => fs.readFileSync(join(folder, path), 'utf8') }
}

async function runningProject(path: string): Promise<string> {
  const body = {
    name: 'Six',
    description: 'Do six tasks',
    path,
    strategy: 'performance',
    auto_approve_plan: true,
  }
  const { id } = await service.read<Project>('POST', '/api/projects', body)
  await service.read('POST', `/api/projects/${id}/generate-plan`)
  await eventually(async () => (await shown(id)).status === 'running')
  return id
}

test.skipIf(!program)(`merges survive ${2 * runs} kills: nothing is lost or done twice`, async () => {
  const random = seeded(seed)
  await service.read('PUT', '/api/settings/security', { allowed_paths: [base] })
  for (let run = 0; run < runs; run += 1) {
    const { read, git, folder } = repository(`work${run}`)
    const id = await runningProject(folder)
    for (let kill = 0; kill < 2; kill += 1) {
      // The first task that has written its file into the folder is being merged, or was.
      await eventually(async () => {
        await repeatInterrupted(await shown(id))
        return fs.readdirSync(folder).some((name) => /^\d\.md$/.test(name))
      })
      await sleep(random() * 1_500)
      await service.kill()
      await service.restart()
    }
    const ended = await eventually(async () => {
      const project = await shown(id)
      await repeatInterrupted(project)
      return project.status !== 'running' && project
    })
    expect([run, ended.status, ended.error]).toEqual([run, 'completed', null])
    const expected = lines.map((line, index) => (index % 10 === 0 ? `${line} by ${index / 10}` : line))
    expect(read('shared.md')).toBe(`${expected.join('\n')}\n`)
    for (let task = 0; task < 6; task += 1) expect(read(`${task}.md`)).toBe(`by ${task}`)
    expect(read('own.md')).toBe('not committed\n')
    expect(git('status', '--porcelain').split('\n').filter(Boolean).toSorted()).toEqual([
      ' M shared.md',
      ...[...Array(6).keys()].map((task) => `?? ${task}.md`),
      '?? own.md',
    ])
  }
  await service.kill()
  await service.restart()
  const copies = join(service.folder, 'files/worktrees')
  expect(fs.existsSync(copies) ? fs.readdirSync(copies) : []).toEqual([])
})
