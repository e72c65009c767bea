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
import { verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { listOf, pageQuery } from '../../runtime/http/page.ts'

const place = { path: '/api/dispatcher/decisions' } as const

export const list = endpoint({
  method: 'GET',
  path: '/api/dispatcher/decisions',
  summary: 'List decisions, newest first',
  query: pageQuery().extend(DecisionFilter.shape),
  returns: listOf('decisions', Decision),
  async run({ query }, context) {
    return { ...(await listDecisions(context, query)), limit: query.limit, offset: query.offset }
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/dispatcher/decisions/{id}',
  summary: 'Get a decision',
  returns: Decision,
  async run({ params }, context) {
    return publicDecision(await requireDecision(context, params.id))
  },
})

export const override = verbOf(place, 'override', {
  summary: 'Correct a decision, and those about similar sentences from now on',
  body: OverrideRequest,
  returns: InjectResult,
  run: overrideDecision,
})

export const health = endpoint({
  method: 'GET',
  path: '/api/dispatcher/health',
  summary: 'Get what the dispatcher decides with, and figures of the last 24 hours',
  returns: DispatcherHealth,
  async run(_, context) {
    return dispatcherHealth(context)
  },
})

export const inject = endpoint({
  method: 'POST',
  path: '/api/dispatcher/inject',
  summary: 'Decide what a sentence was meant to be and start it, or ask',
  body: InjectRequest,
  returns: InjectResult,
  async run({ body }, context) {
    return injectText(context, body)
  },
})
