import * as outgoing from './webhooks.ts'

export const hooks = [...Object.values(outgoing)]
