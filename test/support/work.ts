import type { Host } from '../../runtime/host.ts'
import { tick } from '../../runtime/tick.ts'

/** Ticks until nothing is due and nothing runs, as a host's ticker does. */
export async function workOff(host: Host): Promise<void> {
  for (let idle = false; !idle; ) {
    const { started } = await tick(host)
    idle = started.length === 0 && host.process.running.count() === 0
    await host.process.running.settled()
  }
}
