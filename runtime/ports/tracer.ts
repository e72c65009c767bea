export type Attributes = Record<string, string | number | boolean>

/** A span: a timed operation. */
export interface Span {
  set(attributes: Attributes): void
  /** Marks it as failed before it ends. `error` is the kind of the failure, such as the name of an error class. */
  fail(error: string): void
  end(error?: string): void
}

/** Records spans for a collector. Spans never contain text from people or models. */
export interface Tracer {
  start(name: string, parent: Span | undefined, attributes: Attributes): Span
}
