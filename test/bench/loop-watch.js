import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Loaded into the daemon before itself: measures how long its event loop is blocked. Processor time of its thread, so
 * that other programs do not count. SIGUSR2 starts again; the result is written at the end.
 */
let stretches = []
let last = process.threadCpuUsage()

function look() {
  const used = process.threadCpuUsage(last)
  stretches.push((used.user + used.system) / 1000)
  last = process.threadCpuUsage()
  setTimeout(look, 4).unref()
}

if (process.argv.includes('start')) {
  look()
  process.on('SIGUSR2', () => {
    stretches = []
  })
  process.on('exit', () => {
    writeFileSync(join(process.env.SERVICE_DATA_DIR, 'stretches.json'), JSON.stringify(stretches))
  })
}
