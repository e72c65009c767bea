import * as commands from './commands.ts'
import * as resource from './devices.ts'
import * as groups from './groups.ts'

// `command-types` must be found before the id of a device.
export const devices = [...Object.values(commands), ...Object.values(resource), ...Object.values(groups)]
