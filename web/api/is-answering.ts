/** Milliseconds. A stopped process accepts connections and never answers. */
const patience = 8_000

/** Whether the daemon can be reached and answers. */
export const isAnswering = (): Promise<boolean> =>
  fetch('/health/live', { signal: AbortSignal.timeout(patience) }).then(
    ({ ok }) => ok,
    () => false,
  )
