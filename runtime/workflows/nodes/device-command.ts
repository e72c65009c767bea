import { z } from 'zod'
import { nodeType } from '../node-type.ts'

const reason = 'hearthd cannot be connected to devices yet'

export const deviceCommand = nodeType({
  type: 'device_command',
  title: 'Device command',
  description: 'Sends a command to a device.',
  category: 'action',
  params: z.object({
    device_id: z.string().max(64).default(''),
    command: z.string().max(200).default(''),
    args: z.record(z.string(), z.unknown()).default({}),
  }),
  risk: 'high',
  side_effects: true,
  unavailable: reason,
  async run() {
    throw new Error(reason)
  },
})
