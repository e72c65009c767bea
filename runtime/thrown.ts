export const errorMessage = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

/** The message with that of its cause: `fetch` names the reason of a failed connection only there. */
export const errorWithCause = (thrown: unknown): string =>
  thrown instanceof Error && thrown.cause instanceof Error
    ? `${thrown.message}: ${thrown.cause.message}`
    : errorMessage(thrown)

/** For the log: where it was thrown, if that is known. */
export const errorStack = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
