import { expect, test } from 'vitest'
import * as executions from '../../handlers/workflows/executions.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, executionsOf, nodeRun, ran } from './kit.ts'

const count = `const data = $getWorkflowStaticData('global')
data.calls = (data.calls ?? 0) + 1
console.log('call', data.calls)
return [{ json: { calls: data.calls } }]`

const counting = (trigger: string, ...codes: string[]) => {
  const nodes = codes.map((jsCode, index) => ({
    name: `Code ${index}`,
    type: 'n8n-nodes-base.code',
    parameters: { jsCode },
  }))
  const names = ['Start', ...nodes.map(({ name }) => name)]
  const links = names.slice(1).map((node, index) => [names[index], { main: [[{ node }]] }])
  return importN8n({
    nodes: [{ name: 'Start', type: `n8n-nodes-base.${trigger}`, parameters: { httpMethod: 'POST' } }, ...nodes],
    connections: Object.fromEntries(links),
  }).workflow
}

test('code keeps data from one execution to the next, and later nodes of the same see it', async () => {
  const host = await testHost()
  const { id } = await created(host, counting('webhook', count, count))
  await call(workflows.activate, host, { params: { id } })
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  const token = triggers[0].path.split('/').at(-1)
  for (let sent = 0; sent < 2; sent += 1) {
    await call(hooks.postHook, host, { params: { token }, body: {} })
    await workOff(host)
    await host.clock.advance(1_000)
  }
  const runs = await executionsOf(host, id)
  expect(runs.map(({ output }) => output)).toEqual([[{ calls: 4 }], [{ calls: 2 }]])
})

test('a run by hand sees what is kept and changes nothing', async () => {
  const host = await testHost()
  const { id } = await created(host, counting('manualTrigger', count))
  for (let run = 0; run < 2; run += 1) {
    await call(executions.execute, host, { params: { id }, body: {} })
    await workOff(host)
  }
  expect((await executionsOf(host, id)).map(({ output }) => output)).toEqual([[{ calls: 1 }], [{ calls: 1 }]])
})

test('the data of a node is its own, and too much of it is refused', async () => {
  const own = `const data = $getWorkflowStaticData('node')
data.calls = (data.calls ?? 0) + 1
return [{ json: { calls: data.calls } }]`
  const host = await testHost()
  expect((await ran(host, counting('manualTrigger', own, own))).output).toEqual([{ calls: 1 }])
  const large = "$getWorkflowStaticData('global').text = 'x'.repeat(300_000); return []"
  expect(await ran(host, counting('manualTrigger', large))).toMatchObject({
    status: 'failed',
    error: { node_id: 'code_0', code: 'too_large' },
  })
})

test('the console output of code is shown with its run, also of code that fails', async () => {
  const host = await testHost()
  const done = await ran(host, counting('manualTrigger', count))
  expect(await nodeRun(host, done, 2)).toMatchObject({ logs: 'call 1' })
  const failed = await ran(host, counting('manualTrigger', "console.log('before'); throw new Error('gone')"))
  expect(await nodeRun(host, failed, 2)).toMatchObject({ logs: 'before', error: { message: 'gone [line 1]' } })
})
