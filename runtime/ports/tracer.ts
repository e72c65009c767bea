export type Attributes = Record<string, string | number | boolean>

/** A step of the program with a begin and an end. */
export interface Span {
  set(attributes: Attributes): void
  /** `error` is the kind of the failure, such as the name of an error class. */
  end(error?: string): void
}

/** Records spans for a collector. Spans never contain what people or models have written. */
export interface Tracer {
  start(name: string, parent: Span | undefined, attributes: Attributes): Span
}
