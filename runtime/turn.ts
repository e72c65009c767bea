/** Resolves after pending events were processed. Not a timer; microtasks would not yield. */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(null)
  })
}

/** Milliseconds for which computations may block the event loop. */
const maxBlock = 20

/** When computations of this process began that may block the event loop. */
let begun: number | null = null

/** Yields to the event loop if computations of this process have blocked it for too long. */
export async function turnIfDue(): Promise<void> {
  if (begun === null) {
    begun = Date.now()
    void nextTurn().then(() => {
      begun = null
    })
  } else if (Date.now() - begun > maxBlock) await nextTurn()
}
