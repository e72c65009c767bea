import * as control from './control.ts'
import * as resource from './loops.ts'
import * as ready from './templates.ts'

export const loops = [...Object.values(ready), ...Object.values(resource), ...Object.values(control)]
