import { expect, test } from 'vitest'
import * as executions from '../../handlers/workflows/executions.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { firstSeenBy, remember } from '../../runtime/workflows/seen-store.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, executionsOf } from './kit.ts'

type Draft = { nodes: readonly { id: string }[] }

/** What the last node got in one execution for each input, in that order; null where it did not run. */
async function outputsOf(draft: Draft, inputs: unknown[]): Promise<unknown[]> {
  const host = await testHost()
  const { id } = await created(host, draft)
  for (const input of inputs) {
    await call(executions.execute, host, { params: { id }, body: { input } })
    await workOff(host)
    await host.clock.advance(1_000)
  }
  const last = draft.nodes.at(-1)?.id
  const done = (await executionsOf(host, id)).toReversed()
  return done.map(({ output, error, node_runs }) =>
    node_runs.some(({ node_id }) => node_id === last) ? output : (error?.code ?? null),
  )
}

const skipping = (params: object) =>
  drawn(
    {
      start: { type: 'trigger.manual' },
      skip: { type: 'skip_seen', params },
      kept: { type: 'set', params: { values: {}, keep_input: true } },
    },
    ['start → skip', 'skip:true → kept'],
  )

const news = (...ids: number[]) => ids.map((id) => ({ id, read: false }))

test('items that an earlier run has had do not come again', async () => {
  const outputs = await outputsOf(skipping({ fields: ['id'] }), [news(1, 2, 2), news(2, 3), [{ id: '3', read: true }]])
  expect(outputs).toEqual([news(1, 2, 2), news(3), null])
})

test('without fields whole items are compared, and only the latest are remembered', async () => {
  const outputs = await outputsOf(skipping({ remembered: 2 }), [news(1, 2), news(3), news(1), news(4, 5, 6)])
  expect(outputs).toEqual([news(1, 2), news(3), news(1), 'too_large'])
})

test('a run that is repeated after a crash has the same items', async () => {
  const host = await testHost()
  const { id } = await created(host, skipping({}))
  const place = { workflow_id: id, node_id: 'skip' }
  for (const run of ['first', 'second', 'first'])
    await host.sql.write(remember(place, { run, keys: ['a', 'b', run], max: 10 }))
  expect(await firstSeenBy(host, place, 'first')).toEqual(new Set(['a', 'b', 'first']))
  expect(await firstSeenBy(host, place, 'second')).toEqual(new Set(['second']))
})

const imported = (parameters: object) =>
  importN8n({
    nodes: [
      { name: 'Start', type: 'n8n-nodes-base.manualTrigger' },
      { name: 'Seen', type: 'n8n-nodes-base.removeDuplicates', typeVersion: 2, parameters },
      { name: 'Old', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: { includeOtherFields: true } },
    ],
    connections: {
      Start: { main: [[{ node: 'Seen' }]] },
      Seen: { main: [[], [{ node: 'Old' }]] },
    },
  })

test('an imported node has its new items at the first output and the others at the second', async () => {
  const { workflow, report } = imported({
    operation: 'removeItemsSeenInPreviousExecutions',
    dedupeValue: '={{ $json.id }}',
  })
  expect([report.placeholders, report.issues]).toEqual([[], []])
  expect(await outputsOf(workflow, [news(1), news(1, 2)])).toEqual([null, news(1)])
})

test('what is not compared with each earlier value is reported', () => {
  for (const logic of ['removeItemsUpToStoredIncrementalKey', 'removeItemsUpToStoredDate']) {
    const { report } = imported({
      operation: 'removeItemsSeenInPreviousExecutions',
      logic,
      dedupeValue: '={{ $json.id }}',
    })
    expect(report.placeholders).toMatchObject([{ reason: expect.stringContaining('earlier runs') }])
  }
})
