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

export const health = endpoint({
  method: 'GET',
  path: '/health',
  summary: 'Whether the service runs, its version and uptime',
  access: 'public',
  returns: Vitals,
  async run({ request }, context) {
    const keyed = readCredential(request.headers) !== null && (await validity(request, context)).valid
    return vitals(context, keyed || !context.config.api_key_required)
  },
})

export const live = endpoint({
  method: 'GET',
  path: '/health/live',
  summary: 'Report that the process is alive',
  access: 'public',
  returns: z.object({ status: z.literal('alive') }),
  run: () => ({ status: 'alive' }),
})

export const ready = endpoint({
  method: 'GET',
  path: '/health/ready',
  summary: 'Report readiness: 200, or 503 during startup and while a critical part is down',
  access: 'monitor',
  returns: z.object({ status: z.literal('ready') }),
  async run(_, context) {
    const failing = await notReady(context)
    if (failing.length === 0) return { status: 'ready' }
    throw new Fault(503, 'unavailable', `Not ready: ${failing.join(', ')}`, { extra: { failing } })
  },
})

export const apiHealth = endpoint({
  method: 'GET',
  path: '/api/health',
  summary: 'Whether the service runs and whether it still needs setup',
  access: 'public',
  returns: z.object({ status: Vitals.shape.status, bootstrap_mode: z.boolean() }),
  async run(_, context) {
    return {
      status: vitals(context, false).status,
      bootstrap_mode: await bootstrapOn(context),
    }
  },
})

export const show = endpoint({
  method: 'GET',
  path: '/api/monitoring/health',
  owner: 'none',
  summary: 'Health of every component',
  returns: HealthReport,
  run: async (_, context) => await checkAll(context),
})

export const showComponent = endpoint({
  method: 'GET',
  path: '/api/monitoring/health/components/{id}',
  owner: 'none',
  summary: 'Health of one component',
  params: z.object({ id: ComponentId }),
  returns: Component,
  run: async ({ params }, context) => await checkComponent(context, params.id),
})

export const check = endpoint({
  method: 'POST',
  path: '/api/monitoring/health/check',
  owner: 'none',
  summary: 'Check every component now',
  idempotent: false,
  returns: HealthReport,
  run: async (_, context) => await checkAll(context),
})

export const prometheus = endpoint({
  method: 'GET',
  path: '/api/metrics/prometheus',
  summary: 'Metrics in the text format of Prometheus',
  access: 'monitor',
  returns: file('text/plain; version=0.0.4; charset=utf-8'),
  async run(_, context) {
    await updateGauges(context)
    const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
    return new Response(await context.metrics.text(), { headers })
  },
})
