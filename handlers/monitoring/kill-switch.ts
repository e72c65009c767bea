import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { KillSwitch, readKillSwitch, setKillSwitch } from '../../runtime/monitoring/kill-switch.ts'

export const show = endpoint({
  method: 'GET',
  path: '/api/monitoring/kill-switch',
  summary: 'Whether all model calls are paused',
  returns: KillSwitch,
  run: async (_, context) => await readKillSwitch(context),
})

export const update = endpoint({
  method: 'POST',
  path: '/api/monitoring/kill-switch',
  summary: 'Stop all model calls at once, or let them go on',
  body: z.object({ paused: z.boolean() }),
  idempotent: false,
  returns: KillSwitch,
  run: async ({ body }, context) => await setKillSwitch(context, body.paused),
})
