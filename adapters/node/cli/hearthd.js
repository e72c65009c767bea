#!/usr/bin/env -S MALLOC_TRIM_THRESHOLD_=131072 node --heap-growing-percent=15 --expose-gc
// JavaScript, so that a Node that is too old can say so, and so that Node's TypeScript loader (18 MB) stays out of
// memory: everything below comes from the cache of compiled code, types already stripped.
import { accessSync, constants } from 'node:fs'
import * as modules from 'node:module'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

const needed = 24
if (Number(process.versions.node.split('.')[0]) < needed) {
  process.stderr.write(
    `hearthd needs Node ${needed}, this is ${process.version}. In a checkout, npm start brings its own\n`,
  )
  process.exit(1)
}

const packages = join(import.meta.dirname, '..', '..', '..', 'node_modules')
modules.enableCompileCache(
  canWrite(packages) ? join(packages, '.cache', 'hearthd') : join(tmpdir(), `hearthd-${userInfo().uid}`),
)

const { main } = await import('./main.ts')
await main(process.argv)

/** @param {string} folder */
function canWrite(folder) {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
