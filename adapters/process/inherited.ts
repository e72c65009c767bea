import { closeSync, readdirSync, readFileSync } from 'node:fs'

/** Of `open`, on Linux: the descriptor ends with `exec`. */
const closeOnExec = 0o2000000

/**
 * Closes the descriptors that this process has inherited from whoever started it, so that they never reach a command. Node
 * marks its own as close-on-exec, but of the inherited ones only the first few. Only Linux lists them.
 */
export function closeInherited(): void {
  for (const fd of descriptors()) if (fd > 2 && isPassedOn(fd)) closeSync(fd)
}

function descriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return []
  }
}

/** Whether a started program would get this descriptor. */
function isPassedOn(fd: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? []
    return flags !== '' && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    // The descriptor of the listing itself.
    return false
  }
}
