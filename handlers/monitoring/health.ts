import { z } from 'zod'
import { bootstrapOn } from '../../runtime/auth/bootstrap.ts'
import { readCredential } from '../../runtime/auth/credential.ts'
import { validity } from '../../runtime/auth/validity.ts'
import { Fault } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { file } from '../../runtime/http/returns.ts'
import {
  Component,
  ComponentId,
  checkAll,
  checkComponent,
  HealthReport,
  notReady,
  updateGauges,
  Vitals,
  vitals,
} from '../../runtime/monitoring/health.ts'

export const health = endpoint('GET /health', {
  summary: 'Report whether the service is running, its version and uptime',
  access: 'public',
  returns: Vitals,
  async run({ request }, context) {
    const keyed = readCredential(request.headers) !== null && (await validity(request, context)).valid
    return vitals(context, keyed || !context.config.api_key_required)
  },
})

export const live = endpoint('GET /health/live', {
  summary: 'Report that the process is alive',
  access: 'public',
  returns: z.object({ status: z.literal('alive') }),
  run: () => ({ status: 'alive' }),
})

export const ready = endpoint('GET /health/ready', {
  summary: 'Report readiness: 200, or 503 during startup and while a critical part is down',
  access: 'monitor',
  returns: z.object({ status: z.literal('ready') }),
  async run(_, context) {
    const failing = await notReady(context)
    if (failing.length === 0) return { status: 'ready' }
    throw new Fault(503, 'unavailable', `Not ready: ${failing.join(', ')}`, { extra: { failing } })
  },
})

export const apiHealth = endpoint('GET /api/health', {
  summary: 'Report whether the service is running and whether setup is pending',
  access: 'public',
  returns: z.object({ status: Vitals.shape.status, bootstrap_mode: z.boolean() }),
  run: async (_, context) => ({
    status: vitals(context, false).status,
    bootstrap_mode: await bootstrapOn(context),
  }),
})

export const show = endpoint('GET /api/monitoring/health', {
  owner: 'none',
  summary: 'Get the health of every component',
  returns: HealthReport,
  run: (_, context) => checkAll(context),
})

export const showComponent = endpoint('GET /api/monitoring/health/components/{id}', {
  owner: 'none',
  summary: 'Get the health of a component',
  params: z.object({ id: ComponentId }),
  returns: Component,
  run: ({ params }, context) => checkComponent(context, params.id),
})

export const check = endpoint('POST /api/monitoring/health/check', {
  owner: 'none',
  summary: 'Check every component now',
  idempotent: false,
  returns: HealthReport,
  run: (_, context) => checkAll(context),
})

export const prometheus = endpoint('GET /api/metrics/prometheus', {
  summary: 'Get metrics in the Prometheus text format',
  access: 'monitor',
  returns: file('text/plain; version=0.0.4; charset=utf-8'),
  async run(_, context) {
    await updateGauges(context)
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    return new Response(await context.metrics.text(), { headers })
  },
})
