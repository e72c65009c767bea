import { navigate } from 'wouter/use-browser-location'
import type { SessionStore } from '../api/session.ts'
import { endOfOthers } from '../parts/notify.tsx'

/** Milliseconds after the start, when the first page is complete. */
const delay = 10_000

/**
 * Keeps the code of all pages, so that those which were not opened yet open while the daemon cannot be reached: in the
 * service worker, which opens them after a reload too, else in the browser's cache. Browsers have a worker only over
 * https and on this machine. Begins whenever somebody signs in, because signing out removes the worker.
 */
export function keepCode(session: SessionStore): void {
  navigator.serviceWorker?.addEventListener('message', ({ data }: MessageEvent<{ open?: string }>) => {
    if (data.open) navigate(data.open)
  })
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = () => {
    clearTimeout(timer)
    if (session.get()) timer = setTimeout(keep, delay)
  }
  session.subscribe(begin)
  begin()
}

async function keep(): Promise<void> {
  const worker = await navigator.serviceWorker?.register('/worker.js').catch(() => undefined)
  await (worker ? endOfOthers(worker) : fetchAll()).catch(() => undefined)
}

/** `code.json` is the list that the build writes; file names never change their content. */
async function fetchAll(): Promise<void> {
  const response = await fetch('/code.json')
  const files: string[] = response.ok ? await response.json() : []
  for (const file of files) await (await fetch(file, { priority: 'low' })).arrayBuffer()
}
