import { expect, test } from 'vitest'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

test('a loop is created, started, answered, steered and followed from the command line', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder)
  const { key } = await setUpProcess(daemon)
  const run = (...words: string[]) => hearthd(folder, [...words], { env: { SERVICE_API_KEY: key } })

  const code = "return (input.files['log.txt'] ?? '').includes('tea')"
  const made = await run('loop', 'new', 'Append "tea" to log.txt', '--name', 'Tea', '--check', code)
  expect(made.stdout).toMatch(/^id +loop_/)
  expect((await run('loop', 'ls')).stdout).toMatch(/^loop_\w+ +Tea +draft +0$/m)
  expect((await run('loop', 'steer', 'tea', 'Use green tea')).stdout).toContain('Tea')
  const { promise: snapshot, resolve: printed } = Promise.withResolvers<void>()
  const env = { SERVICE_API_KEY: key }
  const following = hearthd(folder, ['loop', 'logs', '-f', 'Tea'], { env, printed })
  await snapshot
  expect((await run('loop', 'start', 'tea')).stdout).toMatch(/Tea +running/)
  const followed = await following
  expect(followed.stdout).toMatch(/^loop.verdict .*complete: yes[\s\S]*^done {2}loop: Tea {2}status: completed$/m)
  expect(JSON.parse((await run('loop', 'show', 'Tea', '--json')).stdout)).toMatchObject({
    status: 'completed',
    iterations: [{ verdict: { complete: true } }],
  })

  const asked = await run('loop', 'new', 'What time is it?', '--ask', '--json')
  const { id } = JSON.parse(asked.stdout)
  await run('loop', 'start', id)
  await run('loop', 'logs', '-f', id)
  expect((await run('loop', 'show', id)).stdout).toMatch(/^question$/m)
  expect((await run('loop', 'answer', id, 'Accept')).stdout).toMatch(/ completed\b/)
  expect(await run('loop', 'stop', id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is not running'),
  })
  expect((await run('loop', 'show', 'nothing')).stderr).toContain('hearthd loops list lists them')
  expect((await run('loop', 'new', 'x', '--iterations', 'many')).stderr).toContain(
    '--max-iterations must be an integer',
  )
})
