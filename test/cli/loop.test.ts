import { expect, test } from 'vitest'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

test('a loop is created, started, answered, steered and followed from the command line', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder)
  const { key } = await setUpProcess(daemon)
  const run = (...words: string[]) => hearthd(folder, [...words], { env: { SERVICE_API_KEY: key } })

  const code = "return (input.files['log.txt'] ?? '').includes('tea')"
  const made = await run('loop', 'new', 'Append "tea" to log.txt', '--name', 'Tea', '--check', code)
  expect(made.stdout).toContain('hearthd loop start loop_')
  expect((await run('loop', 'ls')).stdout).toMatch(/^loop_\w+ +draft +0\/20 +Tea\n$/)
  expect((await run('loop', 'steer', 'tea', 'Use green tea')).stdout).toContain('Tea')
  expect((await run('loop', 'start', 'tea')).stdout).toBe('Tea is running\n')
  const followed = await run('loop', 'logs', '-f', 'Tea')
  expect(followed.stdout).toContain('Iteration 1  complete')
  expect(JSON.parse((await run('loop', 'show', 'Tea', '--json')).stdout)).toMatchObject({
    status: 'completed',
  })

  const asked = await run('loop', 'new', 'What time is it?', '--ask', '--json')
  const { id } = JSON.parse(asked.stdout)
  await run('loop', 'start', id)
  await run('loop', 'logs', '-f', id)
  expect((await run('loop', 'show', id)).stdout).toContain(`hearthd loop answer ${id}`)
  expect((await run('loop', 'answer', id, 'Done')).stdout).toContain('is completed')
  expect(await run('loop', 'stop', id)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it is not running'),
  })
  expect((await run('loop', 'show', 'nothing')).stderr).toContain('hearthd loop ls')
  expect((await run('loop', 'new', 'x', '--iterations', 'many')).stderr).toContain('must be a number')
})
