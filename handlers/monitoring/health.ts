import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import {
  Component,
  ComponentId,
  examine,
  examineComponent,
  HealthReport,
} from '../../runtime/monitoring/health.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/monitoring/health',
  summary: 'Health of every component',
  returns: HealthReport,
  run: async (_, context) => await examine(context),
})

export const showComponent = endpoint({
  method: 'GET',
  path: '/api/monitoring/health/components/{id}',
  summary: 'Health of one component',
  params: z.object({ id: ComponentId }),
  returns: Component,
  run: async ({ params }, context) => await examineComponent(context, params.id),
})

export const check = endpoint({
  method: 'POST',
  path: '/api/monitoring/health/check',
  summary: 'Examine every component now',
  idempotent: false,
  returns: HealthReport,
  run: async (_, context) => await examine(context),
})
