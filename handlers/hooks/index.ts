import * as incoming from './incoming.ts'
import * as outgoing from './webhooks.ts'

export const hooks = [...Object.values(incoming), ...Object.values(outgoing)]
