import * as containers from './containers.ts'
import * as files from './files.ts'
import * as sandboxEndpoints from './sandbox.ts'

export const sandbox = [...Object.values(sandboxEndpoints), ...Object.values(containers), ...Object.values(files)]
