import * as decisions from './decisions.ts'
import * as settings from './settings.ts'

export const dispatcher = [...Object.values(decisions), ...Object.values(settings)]
