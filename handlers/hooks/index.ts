import * as own from './hooks.ts'
import * as incoming from './incoming.ts'
import * as outgoing from './webhooks.ts'

export const hooks = [...Object.values(own), ...Object.values(incoming), ...Object.values(outgoing)]
