import { notFound } from '../../runtime/fault.ts'
import { findRun, HookRun, HookRunDetails, listRuns } from '../../runtime/hooks/hook-run-store.ts'
import { HookTest, HookTested, testHook } from '../../runtime/hooks/hook-test.ts'
import { hooks } from '../../runtime/hooks/hooks.ts'
import { endpointsOf, logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'

export const { list, show, create, update, remove } = endpointsOf(hooks)

export const test = verbOf(hooks, 'test', {
  summary: 'Dry-run a hook for an event',
  body: HookTest,
  body_optional: true,
  returns: HookTested,
  run: testHook,
})

export const runs = logOf(hooks, 'runs', {
  summary: 'List the runs of a hook, newest first',
  item: HookRun,
  rows: listRuns,
})

export const run = endpoint('GET /api/hooks/{id}/runs/{run_id}', {
  summary: 'Get a hook run with its event',
  returns: HookRunDetails,
  async run({ params }, context) {
    await hooks.require(context, params.id)
    const details = await findRun(context, params.run_id)
    if (details?.hook_id !== params.id) throw notFound(`The run ${params.run_id}`)
    return details
  },
})
