import * as control from './control.ts'
import * as resource from './loops.ts'

export const loops = [...Object.values(resource), ...Object.values(control)]
