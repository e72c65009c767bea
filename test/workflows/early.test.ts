import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { StoreUnavailable } from '../../runtime/ports/sql.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { passing, twoHosts } from '../support/two-hosts.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, executionsOf } from './kit.ts'

const hook = (response: string) => ({ type: 'trigger.webhook', params: { response } })
const add = { type: 'set', params: { values: { n: '=input.body.n + 1' }, keep_input: false } }

/** An active workflow and a call of its webhook. */
async function activated(host: MemoryHost, body: unknown) {
  const { id } = await created(host, body)
  await call(workflows.activate, host, { params: { id } })
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  const params = { token: triggers[0].path.split('/').at(-1) }
  return { id, receive: (n: number) => call(hooks.postHook, host, { params, body: { n } }) }
}

/** The host, with the statements of each of its commits from now on. */
function commitsOf(host: MemoryHost): string[][] {
  const commits: string[][] = []
  const { write } = host.sql
  host.sql.write = (statements, options) => {
    commits.push(statements.map(({ sql }) => sql))
    return write.call(host.sql, statements, options)
  }
  return commits
}

test.each(['respond_node', 'at_end', 'at_once'])('an execution that only computes is one commit (%s)', async (mode) => {
  const host = await testHost()
  const nodes = { go: hook(mode), add, answer: { type: 'respond' } }
  const { id, receive } = await activated(host, drawn(nodes, ['go → add', 'add → answer']))
  const commits = commitsOf(host)
  host.events.length = 0
  const response = await receive(1)
  expect(response.status).toBe(mode === 'at_once' ? 202 : 200)
  expect(commits).toHaveLength(1)
  expect(commits.flat().filter((sql) => sql.includes('work '))).toEqual([])
  expect(host.events).toEqual(['workflow.run.started', 'workflow.run.finished'])
  const [run] = await executionsOf(host, id)
  expect(run).toMatchObject({ status: 'succeeded', output: { n: 2 }, error: null })
  expect(run?.node_runs.map(({ node_id, status }) => [node_id, status])).toEqual([
    ['go', 'succeeded'],
    ['add', 'succeeded'],
    ['answer', 'succeeded'],
  ])
})

test('nobody is answered before the execution is stored, and nothing stays of one that cannot be', async () => {
  const host = await testHost()
  const nodes = { go: hook('respond_node'), answer: { type: 'respond' } }
  const body = drawn(nodes, ['go → answer'], { settings: { mode: 'parallel', max_concurrent: 1 } })
  const { id, receive } = await activated(host, body)
  const { write } = host.sql
  host.sql.write = async () => {
    throw new StoreUnavailable('the disk is full')
  }
  expect((await receive(1)).status).toBe(503)
  host.sql.write = write
  expect(await executionsOf(host, id)).toEqual([])
  // It does not count as one that runs.
  expect((await receive(2)).status).toBe(200)
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'succeeded' }])
})

test('one that fails is stored as failed, and its caller learns no more', async () => {
  const host = await testHost()
  const nodes = { go: hook('at_end'), stop: { type: 'stop', params: { error: 'secret reason' } } }
  const { id, receive } = await activated(host, drawn(nodes, ['go → stop']))
  const response = await receive(1)
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain('secret reason')
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'failed', error: { message: 'secret reason' } }])
})

test('before a node with an effect, and when it waits, it is stored with its unit of work', async () => {
  const host = await testHost()
  const nodes = {
    ...{ go: hook('at_once'), add, wait: { type: 'delay', params: { seconds: 900 } } },
    keep: { type: 'file', params: { action: 'write', path: 'n.txt', content: '{{ input.n }}' } },
  }
  const { id, receive } = await activated(host, drawn(nodes, ['go → add', 'add → keep', 'keep → wait']))
  expect((await receive(1)).status).toBe(202)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'waiting' }])
  await host.clock.advance(900_000)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'succeeded' }])
})

test('a node that is tried again later waits in storage', async () => {
  const host = await testHost()
  const retry = { max_attempts: 2, delay_seconds: 60, backoff: 'fixed' }
  const nodes = { go: hook('at_once'), bad: { type: 'code', params: { code: 'throw new Error("no")' }, retry } }
  const { id, receive } = await activated(host, drawn(nodes, ['go → bad']))
  expect((await receive(1)).status).toBe(202)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'waiting', waiting_for: [{ kind: 'retry' }] }])
  await host.clock.advance(60_000)
  await workOff(host)
  expect(await executionsOf(host, id)).toMatchObject([{ status: 'failed' }])
})

test('a caller is answered although another daemon continued the execution after its wait', async () => {
  const { first, second } = await twoHosts()
  const nodes = { go: hook('at_end'), wait: { type: 'delay', params: { seconds: 2 } }, add }
  const { id, receive } = await activated(first, drawn(nodes, ['go → wait', 'wait → add']))
  const answer = receive(1)
  await passing([first], 500)
  await workOff(first)
  await passing([second], 2_000)
  await workOff(second)
  await passing([first], 500)

  expect(await executionsOf(second, id)).toMatchObject([{ status: 'succeeded' }])
  const response = await answer
  expect([response.status, await response.json()]).toEqual([200, { n: 2 }])
})

test('more calls than the workflow runs at once are all answered', async () => {
  const host = await testHost()
  const nodes = { go: hook('at_end'), add }
  const body = drawn(nodes, ['go → add'], { settings: { mode: 'parallel', max_concurrent: 2 } })
  const { id, receive } = await activated(host, body)
  const answers = Promise.all(Array.from({ length: 6 }, (_, n) => receive(n)))
  while ((await Promise.race([answers, Promise.resolve(null)])) === null) await workOff(host)
  expect((await answers).map(({ status }) => status)).toEqual(Array(6).fill(200))
  const all = await executionsOf(host, id)
  expect(all.map(({ status }) => status)).toEqual(Array(6).fill('succeeded'))
})
