import type { Host } from '../../runtime/host.ts'
import { tick } from '../../runtime/tick.ts'

/** Ticks until nothing is due and nothing runs, as a host's ticker does. */
export async function workOff(host: Host): Promise<void> {
  for (let idle = false; !idle; ) {
    // What ends during the tick may have let other work begin.
    const wasRunning = host.process.running.count() > 0
    const { started } = await tick(host)
    idle = !wasRunning && started.length === 0 && host.process.running.count() === 0
    await host.process.running.settled()
  }
}
