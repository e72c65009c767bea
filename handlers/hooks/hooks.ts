import {
  Hook,
  HookChanges,
  HookRun,
  HookRunDetails,
  HookTest,
  HookTested,
  NewHook,
} from '../../runtime/hooks/hook-schema.ts'
import { listHooks, listRuns, runCounts } from '../../runtime/hooks/hook-store.ts'
import {
  addHook,
  editHook,
  publicHook,
  removeHook,
  requireHook,
  showHook,
  showHookRun,
  testHook,
} from '../../runtime/hooks/hooks.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'

export const listAllHooks = endpoint({
  method: 'GET',
  path: '/api/hooks',
  summary: 'List hooks, newest first',
  query: pageQuery(),
  returns: listOf('hooks', Hook),
  async run({ query }, context) {
    const { rows: hooks, total } = await listHooks(context, query)
    const shown = await Promise.all(
      hooks.map(async (hook) => publicHook(hook, await runCounts(context, hook.id))),
    )
    return { hooks: shown, total, ...query }
  },
})

export const createHook = endpoint({
  method: 'POST',
  path: '/api/hooks',
  summary: 'Create a hook, which acts when an event happens or decides before it happens',
  body: NewHook,
  returns: Hook,
  status: 201,
  run: ({ body }, context) => addHook(context, body),
})

export const getHook = endpoint({
  method: 'GET',
  path: '/api/hooks/{id}',
  summary: 'Get a hook',
  returns: Hook,
  run: ({ params }, context) => showHook(context, params.id),
})

export const updateHook = endpoint({
  method: 'PUT',
  path: '/api/hooks/{id}',
  summary: 'Change a hook',
  body: HookChanges,
  before: ({ params }, context) => requireHook(context, params.id),
  returns: Hook,
  run: ({ params, body }, context) => editHook(context, params.id, body),
})

export const deleteHook = removal({
  path: '/api/hooks/{id}',
  summary: 'Delete a hook with its runs',
  remove: removeHook,
})

export const tryHook = endpoint({
  method: 'POST',
  path: '/api/hooks/{id}/test',
  summary: 'Dry-run a hook for an event',
  body: HookTest,
  body_optional: true,
  returns: HookTested,
  run: ({ params, body }, context) => testHook(context, params.id, body),
})

export const hookRuns = endpoint({
  method: 'GET',
  path: '/api/hooks/{id}/runs',
  summary: 'List the runs of a hook, newest first',
  query: pageQuery(),
  returns: listOf('runs', HookRun),
  async run({ params, query }, context) {
    await requireHook(context, params.id)
    const { rows: runs, total } = await listRuns(context, params.id, query)
    return { runs, total, ...query }
  },
})

export const getHookRun = endpoint({
  method: 'GET',
  path: '/api/hooks/{id}/runs/{run_id}',
  summary: 'Get a hook run with its event',
  returns: HookRunDetails,
  run: ({ params }, context) => showHookRun(context, params.id, params.run_id),
})
