import * as catalog from './catalog.ts'
import * as executions from './executions.ts'
import * as forms from './forms.ts'
import * as hooks from './hooks.ts'
import * as resource from './workflows.ts'

export const workflows = [
  ...Object.values(catalog),
  ...Object.values(hooks),
  ...Object.values(forms),
  ...Object.values(executions),
  ...Object.values(resource),
]
