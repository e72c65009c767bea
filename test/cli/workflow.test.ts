import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

test('workflows are imported, run, read and exported from the command line', async () => {
  const folder = dataFolder()
  const daemon = await startProcess(folder)
  const { key } = await setUpProcess(daemon)
  const run = (...words: string[]) => hearthd(folder, ['workflow', ...words], { env: { SERVICE_API_KEY: key } })
  const file = join(folder, 'flow.json')
  const sum = {
    name: 'Sum',
    type: 'n8n-nodes-base.code',
    parameters: { jsCode: 'return { sum: $json.a + 1 }' },
  }
  await writeFile(file, JSON.stringify({ name: 'Flow', nodes: [sum] }))

  expect((await run('import', file)).stdout).toMatch(/^workflow\n +id +wf_\w+\n +name +Flow\n/)
  expect(JSON.parse((await run('run', 'Flow', '--input', '{"a": 1}', '--json')).stdout)).toMatchObject({
    status: 'succeeded',
    output: [{ sum: 2 }],
  })
  expect((await run('logs', 'Flow')).stdout).toContain('succeeded')
  const exported = join(folder, 'exported.json')
  await writeFile(exported, (await run('export', 'Flow', '--json')).stdout)
  expect((await run('import', exported)).stdout).toContain('Flow')

  const missing = await run('import', join(folder, 'missing.json'))
  expect(missing.stderr).toMatch(/^hearthd: Cannot read .*missing.json: ENOENT[^\n]*\n$/)
  await writeFile(file, '[]')
  expect((await run('import', file)).stderr).toContain('import the workflows of a list one by one')
})
