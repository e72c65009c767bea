import {
  inject as injectText,
  override as overrideDecision,
  requireDecision,
} from '../../runtime/dispatcher/dispatch.ts'
import { dispatcherHealth } from '../../runtime/dispatcher/health.ts'
import {
  Decision,
  DecisionFilter,
  DispatcherHealth,
  InjectRequest,
  InjectResult,
  OverrideRequest,
} from '../../runtime/dispatcher/schema.ts'
import { listDecisions, publicDecision } from '../../runtime/dispatcher/store.ts'
import { listing, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { pageQuery } from '../../runtime/http/page.ts'

const place = { path: '/api/dispatcher/decisions' } as const

export const list = listing({
  path: '/api/dispatcher/decisions',
  summary: 'List decisions, newest first',
  items: 'decisions',
  item: Decision,
  query: pageQuery().extend(DecisionFilter.shape),
  rows: listDecisions,
})

export const show = endpoint('GET /api/dispatcher/decisions/{id}', {
  summary: 'Get a decision',
  returns: Decision,
  run: async ({ params }, context) => publicDecision(await requireDecision(context, params.id)),
})

export const override = verbOf(place, 'override', {
  summary: 'Correct a decision and future decisions about similar sentences',
  body: OverrideRequest,
  returns: InjectResult,
  run: overrideDecision,
})

export const health = endpoint('GET /api/dispatcher/health', {
  summary: 'Get the state of the dispatcher and its statistics of the last 24 hours',
  returns: DispatcherHealth,
  run: (_, context) => dispatcherHealth(context),
})

export const inject = endpoint('POST /api/dispatcher/inject', {
  summary: 'Classify a sentence and start what it asks for, or ask what was meant',
  body: InjectRequest,
  returns: InjectResult,
  run: ({ body }, context) => injectText(context, body),
})
