import { expect, test } from 'vitest'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

test('a project is created, approved, followed and shown from the command line', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder)
  const { key } = await setUpProcess(daemon)
  const run = (...words: string[]) => hearthd(folder, [...words], { env: { SERVICE_API_KEY: key } })

  const made = await run('project', 'new', '1. Write "Hello" to hello.txt\n2. Compose a symphony', '--name', 'Greeting')
  expect(made.stdout).toContain('Write "Hello" to hello.txt')
  expect(made.stdout).toContain('hearthd project approve proj_')
  expect((await run('project', 'ls')).stdout).toMatch(/^proj_\w+ +Greeting +pending/m)

  const { promise: snapshot, resolve: printed } = Promise.withResolvers<void>()
  const env = { SERVICE_API_KEY: key }
  const following = hearthd(folder, ['project', 'logs', '-f', 'Greeting'], { env, printed })
  await snapshot
  expect((await run('project', 'approve', 'greeting')).stdout).toMatch(/^proj_\w+ +running$/m)
  const followed = await following
  expect(followed.stdout).toMatch(/^task.updated .*task: Write "Hello" to hello.txt .*status: completed/m)
  expect(followed.stdout).toContain('The offline model used no tool, so nothing was done')
  expect(JSON.parse((await run('project', 'show', 'Greeting', '--json')).stdout)).toMatchObject({
    status: 'failed',
  })
  expect(await run('project', 'approve', 'Greeting')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('only a pending one'),
  })
  expect((await run('project', 'show', 'nothing')).stderr).toContain('hearthd projects list lists them')
})
