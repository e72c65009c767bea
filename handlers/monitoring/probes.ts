import { z } from 'zod'
import { bootstrapOn } from '../../runtime/auth/bootstrap.ts'
import { Fault } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { notReady, Vitals, vitals } from '../../runtime/monitoring/health.ts'

export const health = endpoint({
  method: 'GET',
  path: '/health',
  summary: 'Whether the service runs, which release, since when',
  access: 'public',
  returns: Vitals,
  run: (_, context) => vitals(context, !context.config.api_key_required),
})

export const live = endpoint({
  method: 'GET',
  path: '/health/live',
  summary: 'Answers while the process is alive',
  access: 'public',
  returns: z.object({ status: z.literal('alive') }),
  run: () => ({ status: 'alive' }),
})

export const ready = endpoint({
  method: 'GET',
  path: '/health/ready',
  summary: 'Answers 200 when requests can be served, 503 during start and while a critical part is down',
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
  summary: 'Whether the service runs and whether setup is still to be done',
  access: 'public',
  returns: z.object({ status: Vitals.shape.status, bootstrap_mode: z.boolean() }),
  async run(_, context) {
    return {
      status: vitals(context, false).status,
      bootstrap_mode: await bootstrapOn(context),
    }
  },
})
