import type { Context } from './context.ts'
import type { Attributes, Span } from './ports/tracer.ts'

/** Runs a step as a span below that of the context, if traces are recorded. Its context begins further spans. */
export async function traced<Result>(
  context: Context,
  name: string,
  { attributes, run }: { attributes: Attributes; run: (context: Context, span?: Span) => Promise<Result> },
): Promise<Result> {
  const span = context.tracer?.start(name, context.span, attributes)
  if (!span) return run(context)
  try {
    const result = await run({ ...context, span }, span)
    span.end()
    return result
  } catch (thrown) {
    span.end(errorName(thrown))
    throw thrown
  }
}

/** The kind of an error. Messages may quote what people wrote. */
export const errorName = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : 'Error')
