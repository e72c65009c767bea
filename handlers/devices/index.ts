import * as browsers from './browsers.ts'
import * as commands from './commands.ts'
import * as resource from './devices.ts'
import * as groups from './groups.ts'

export const devices = [
  ...Object.values(browsers),
  ...Object.values(commands),
  ...Object.values(resource),
  ...Object.values(groups),
]
