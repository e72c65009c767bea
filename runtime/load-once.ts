/** Loads a value with the first call and keeps it. A load that failed is tried again with the next call. */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () =>
    (loading ??= load().catch((thrown: unknown) => {
      loading = undefined
      throw thrown
    }))
}
