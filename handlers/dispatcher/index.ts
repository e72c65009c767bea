import * as decisions from './decisions.ts'
import * as rules from './rules.ts'
import * as settings from './settings.ts'

export const dispatcher = [...Object.values(decisions), ...Object.values(rules), ...Object.values(settings)]
