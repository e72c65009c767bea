/** Milliseconds after the start, when the first page is complete. */
const delay = 10_000

/**
 * Puts the code of all pages into the browser's cache, so that pages which were not opened yet open while the daemon
 * cannot be reached. `code.json` is the list that the build writes; file names never change their content.
 */
export function keepCode(): void {
  setTimeout(() => void fetchAll().catch(() => undefined), delay)
}

async function fetchAll(): Promise<void> {
  const response = await fetch('/code.json')
  const files: string[] = response.ok ? await response.json() : []
  for (const file of files) await (await fetch(file, { priority: 'low' })).arrayBuffer()
}
