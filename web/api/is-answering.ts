/** Milliseconds. A stopped process accepts connections and never answers. */
const patience = 8_000

/** Whether the daemon can be reached and answers. `/health/live` answers already while it starts, pages do not. */
export const isAnswering = (path = '/health/live'): Promise<boolean> =>
  fetch(path, { signal: AbortSignal.timeout(patience) }).then(
    ({ ok }) => ok,
    () => false,
  )
