import * as changes from './changes.ts'
import * as files from './files.ts'
import * as plan from './plan.ts'
import * as resource from './projects.ts'

export const projects = [
  ...Object.values(resource),
  ...Object.values(plan),
  ...Object.values(changes),
  ...Object.values(files),
]
