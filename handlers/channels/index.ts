import * as resource from './channels.ts'
import * as pairings from './pairings.ts'
import * as webhook from './webhook.ts'

export const channels = [...Object.values(pairings), ...Object.values(webhook), ...Object.values(resource)]
