import type { Server } from 'node:http'
import { commit } from '../../runtime/events/commit.ts'
import { event } from '../../runtime/events/event.ts'
import type { Host } from '../../runtime/host.ts'
import { reportLastEvents } from '../../runtime/tick.ts'
import { Stopping } from '../../runtime/work/run.ts'
import type { Ticker } from './ticker.ts'

/** Milliseconds for running work to end; the whole stop stays below the 15 s that `hearthd stop` waits. */
const patience = 10_000
/** Milliseconds for the event that announces the stop to reach hooks, webhooks and channels. */
const announcement = 2_000
/** Milliseconds. */
const sweepEvery = 50

export interface Stoppable {
  host: Host
  server: Server
  ticker: Ticker
  /** Aborts everything that listens to `host.process.stopping`. */
  stopping: AbortController
}

/**
 * Stops gracefully: the stop is announced, nothing new is accepted, streams end with an event, running work returns to the
 * queue or is marked as interrupted, sockets close with 1001.
 */
export async function stopServing({ host, server, ticker, stopping }: Stoppable): Promise<void> {
  host.process.ready = false
  const announced = announceStop(host, ticker).catch((cause: unknown) =>
    host.log.write('warn', 'the stop could not be announced', { cause }),
  )
  await within(announcement, announced, () => undefined)
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  stopping.abort(new Stopping('hearthd is stopping'))
  host.process.running.abortAll(new Stopping('hearthd is stopping'))
  host.process.connections.endAll(1001, 'hearthd is stopping')
  const ended = Promise.all([announced, ticker.stop(), host.process.running.settled(), closed])
  // An idle connection would otherwise be kept alive for seconds.
  const sweep = setInterval(() => server.closeIdleConnections(), sweepEvery)
  await within(patience, ended, () => host.log.write('warn', 'some requests or work did not end in time and were cut'))
  clearInterval(sweep)
  server.closeAllConnections()
}

async function announceStop(host: Host, ticker: Ticker): Promise<void> {
  const { version } = host.config
  await commit(host, [], [event('daemon.stopping', { version })])
  await ticker.stop()
  await reportLastEvents(host)
}

/** Waits for `work`, but no longer than `milliseconds`. */
async function within(milliseconds: number, work: Promise<unknown>, late: () => void): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    late()
    resolve()
  }, milliseconds)
  await Promise.race([work, promise])
  clearTimeout(timer)
}
